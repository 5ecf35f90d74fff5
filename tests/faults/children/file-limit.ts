import { openDatabase } from '../../../src/database/open.ts';
import { Problem } from '../../../src/kernel/problem.ts';

/** Writes until the file may not grow any further (`ulimit -f`), and prints what each way of writing was answered. */
const [, , url = ''] = process.argv;

const database = await openDatabase(url);
const insert = { sql: `insert into t (text) values (hex(randomblob(20000)))`, parameters: [] };
await database.execute({ sql: 'create table t (id integer primary key, text text)', parameters: [] });

const outcome = (write: Promise<unknown>): Promise<string> =>
  write.then(
    () => 'written',
    (error: unknown) =>
      error instanceof Problem ? `${error.code} ${error.headers['Retry-After'] ?? 'never'}` : String(error),
  );

let alone = 'written';
while (alone === 'written') alone = await outcome(database.execute(insert));
const unit = await outcome(database.write((transaction) => transaction.run(insert)));
const batch = await Promise.all([
  outcome(database.execute(insert)),
  outcome(database.execute({ sql: 'insert into nowhere values (1)', parameters: [] })),
]);
const rows = await database.get<{ n: number }>({ sql: 'select count(*) as n from t', parameters: [] });
console.log(JSON.stringify({ alone, unit, batch, rows: (rows?.n ?? 0) > 0 }));
await database.close();
