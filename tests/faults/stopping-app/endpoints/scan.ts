import { defineEndpoint } from 'gatewright';

/** Statements that give no row for minutes: SQLite looks for its end in its own code only. */
const endless = {
  sqlite:
    'with recursive n(x) as (select 1 union all select x + 1 from n where x < 4000000000) select count(*) from n',
  postgres: "select pg_sleep(60), 'endless scan'",
};

export default defineEndpoint({
  method: 'GET',
  path: '/scan',
  auth: [],
  handle: async ({ database }) => {
    console.log(JSON.stringify({ msg: 'begun' }));
    await database.scan({ sql: endless[database.dialect], parameters: [] });
    return undefined;
  },
});
