import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { migrate } from '../../../src/database/migrations/runner.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { databaseTarget } from '../../../src/database/targets.ts';

/** Starts as an instance of the service does: two sets of migrations, then the database. */
const [, , url = ''] = process.argv;

const core: Migrations = {
  '001': {
    up: async (db) => {
      await db.schema
        .createTable('counters')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('value', 'integer')
        .execute();
      await db.insertInto('counters').values({ name: 'core', value: 1 }).execute();
    },
  },
};

const application: Migrations = {
  '001': {
    up: async (db) => {
      await db.insertInto('counters').values({ name: 'application', value: 1 }).execute();
    },
  },
  '002': {
    up: async (db) => {
      await db.schema.alterTable('counters').addColumn('note', 'text').execute();
    },
  },
};

const target = databaseTarget(url);
const applied = [
  ...(await migrate(target, core, { tableName: 'core_migrations' })),
  ...(await migrate(target, application, { tableName: 'migrations' })),
];
const database = await openDatabase(target);
const row = await database.get<{ n: number }>({ sql: 'select count(*) as n from counters', parameters: [] });
await database.close();
console.log(JSON.stringify({ applied, rows: row?.n }));
