import { sql } from 'kysely';
import { type Application, createApplication } from '../../src/app/application.ts';
import { readConfig } from '../../src/app/config.ts';
import { assertUpToDate, prepareEmptyDatabase } from '../../src/app/migrate.ts';
import { dialectOf } from '../../src/database/dialects.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { ownWords } from '../../src/database/migrations/own-words.ts';
import { databaseTarget } from '../../src/database/targets.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { type Moved, type MoveState, moveDatabase } from '../../src/upkeep/backup/move/move.ts';

const sampleFields = {
  title: field.string(),
  body: field.text(),
  count: field.integer(),
  ratio: field.number(),
  price: field.decimal(),
  fine: field.decimal({ scale: 8 }),
  whole: field.decimal({ scale: 0 }),
  flag: field.boolean(),
  day: field.date(),
  at: field.datetime(),
  opens: field.time(),
  state: field.enum(['a', 'Ä', 'z-1']),
  data: field.json(),
  mail: field.email(),
  site: field.url(),
  uid: field.uuid(),
  ticket: field.sequence({ format: '{year}/{n:3}' }),
  parent: field.reference('Sample', { onDelete: 'null' }),
};
const leftFields = { name: field.string({ required: true }), right: field.reference('Right') };
const rightFields = { name: field.string({ required: true }), left: field.reference('Left') };

/** Tables that no model owns, one of them without an id, and a trigger that rows must not set off again. */
const ownTables: Migrations[string] = {
  up: async (db, dialect) => {
    const t = ownWords(dialectOf(dialect));
    await sql`create table ledger (code ${t.text} primary key, amount ${t.integer}, at ${t.timestamp})`.execute(
      db,
    );
    await sql`create table ledger_log (id ${t.id}, code ${t.text} not null references ledger (code))`.execute(
      db,
    );
    const body = 'insert into ledger_log (code) values (new.code)';
    const statements = {
      sqlite: [`create trigger ledger_added after insert on ledger begin ${body}; end`],
      postgres: [
        `create function ledger_added() returns trigger language plpgsql as $$ begin ${body}; return new; end $$`,
        'create trigger ledger_added after insert on ledger for each row execute function ledger_added()',
      ],
    }[dialect];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'samples', { fields: sampleFields, search: ['title', 'body'] });
      await createTable(db, dialect, 'lefts', { fields: { name: leftFields.name } });
      await createTable(db, dialect, 'rights', { fields: rightFields });
      await sql`alter table lefts add column right_id ${ownWords(dialectOf(dialect)).integer} references rights (id)`.execute(
        db,
      );
    },
  },
  '0002_own': ownTables,
};

/** Every type of field, a record that refers to others of its own, two tables that refer to each other, tables of its own. */
export const moveApplication = (): Application =>
  createApplication({
    resources: [
      defineResource('Sample', {
        fields: sampleFields,
        auth: ['jwt', 'api_key'],
        events: true,
        history: true,
        trash: true,
        search: ['title', 'body'],
      }),
      defineResource('Left', { fields: leftFields }),
      defineResource('Right', { fields: rightFields }),
    ],
    migrations,
  });

/** Moves a database as the command does. */
export const moveTo = async (
  from: string,
  to: string,
  dataDir: string,
  onProgress: (state: MoveState) => void = () => {},
  application = moveApplication(),
): Promise<Moved> => {
  const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: from });
  const [source, destination] = [databaseTarget(from), databaseTarget(to)];
  await assertUpToDate(application, source);
  return moveDatabase({
    ...{ source, destination, destinationName: 'there', now: Date.parse('2026-01-01T00:00:00Z'), onProgress },
    prepare: (after) => prepareEmptyDatabase(config, application, destination, after),
  });
};
