import { alterTable, field, type Migration, sql } from 'gatewright';

export const up: Migration['up'] = async (db, dialect) => {
  await alterTable(db, dialect, 'people', { add: { first_name: field.string(), last_name: field.string() } });
  const space = dialect === 'sqlite' ? sql`instr(name, ' ')` : sql`position(' ' in name)`;
  await sql`update people set
    first_name = case when ${space} = 0 then name else substr(name, 1, ${space} - 1) end,
    last_name = case when ${space} = 0 then null else substr(name, ${space} + 1) end`.execute(db);
  await alterTable(db, dialect, 'people', { drop: ['name'] });
};
