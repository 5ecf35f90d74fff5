import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import {
  alterTable,
  createTable,
  dropTable,
  renameTable,
} from '../../../src/database/migrations/application-steps.ts';
import { migrate } from '../../../src/database/migrations/runner.ts';
import { databaseTarget } from '../../../src/database/targets.ts';
import { field } from '../../../src/fields/define.ts';

/** Migrates and kills itself behind the statement of this number; 0: never. Prints how many there were. */
const [, , url = '', step = '', last = '0'] = process.argv;

let count = 0;
const ran = (): void => {
  count += 1;
  if (count === Number(last)) process.kill(process.pid, 'SIGKILL');
};

const { prepare, exec } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql) {
  const statement = prepare.call(this, sql);
  const { run, all } = statement;
  statement.run = ((...parameters: Parameters<typeof run>) => {
    const result = run.apply(statement, parameters);
    ran();
    return result;
  }) as typeof run;
  statement.all = ((...parameters: Parameters<typeof all>) => {
    const result = all.apply(statement, parameters);
    ran();
    return result;
  }) as typeof all;
  return statement;
};
DatabaseSync.prototype.exec = function (this: DatabaseSync, sql) {
  exec.call(this, sql);
  ran();
};

const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const result = query.apply(this, args);
  return result instanceof Promise
    ? result.then((value: unknown) => {
        ran();
        return value;
      })
    : result;
} as never;

const price = field.decimal({ scale: 2, required: true });
const steps = {
  first: {
    '0001': {
      up: async (db, dialect) => {
        await createTable(db, dialect, 'authors', { fields: { name: field.string() } });
        await createTable(db, dialect, 'books', {
          fields: {
            author: field.reference('Author'),
            price: field.integer({ index: true }),
            old: field.text(),
          },
        });
        await createTable(db, dialect, 'spare', { fields: { n: field.integer() } });
      },
    },
  },
} satisfies Record<string, Parameters<typeof migrate>[1]>;

const second: Parameters<typeof migrate>[1] = {
  ...steps.first,
  '0002': {
    up: async (db, dialect) => {
      await renameTable(db, dialect, 'authors', 'writers', { model: 'Writer' });
      await alterTable(db, dialect, 'books', {
        rename: { author_id: 'writer_id' },
        change: { price: { from: field.integer({ index: true }), to: price } },
        add: { code: field.string({ unique: true }) },
        fill: { price: '1.00' },
        drop: ['old'],
      });
    },
  },
  '0003': { up: (db, dialect) => dropTable(db, dialect, 'spare') },
};

await migrate(databaseTarget(url), step === 'first' ? steps.first : second, { tableName: 'migrations' });
console.log(count);
