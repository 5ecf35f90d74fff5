import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeDatabase, describeEachDatabase } from '../../../tests/support/databases.ts';
import type { Ask } from '../introspection.ts';
import { databaseTarget } from '../targets.ts';
import type { Migrations } from './migration.ts';
import { type Conditions, migrate, migrateAll, pending } from './runner.ts';

const options = { tableName: 'steps' };

const notes: Migrations = {
  '001_notes': {
    up: async (db) => {
      await db.schema
        .createTable('notes')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('live', 'boolean')
        .execute();
      await db.insertInto('notes').values({ id: 1, live: true }).execute();
    },
  },
};

const broken: Migrations = {
  ...notes,
  '002_more': {
    up: async (db) => {
      await db.schema.createTable('more').addColumn('id', 'integer').execute();
    },
  },
  '003_broken': {
    up: async (db) => {
      await db.schema.createTable('half').addColumn('id', 'integer').execute();
      await sql`insert into nowhere values (1)`.execute(db);
    },
  },
};

const query = (text: string) => ({ sql: text, parameters: [] });

describeEachDatabase('migrate', (databases) => {
  it('applies what is pending, once, and tells the dialect', async () => {
    const target = databaseTarget(await databases.create());
    expect(await pending(target, notes, options)).toEqual(['001_notes']);
    expect(await migrate(target, notes, options)).toEqual(['001_notes']);
    expect(await migrate(target, notes, options)).toEqual([]);
    const dialects: string[] = [];
    const more: Migrations = {
      ...notes,
      '002_dialect': {
        up: async (_db, dialect) => {
          dialects.push(dialect);
        },
      },
    };
    expect(await pending(target, more, options)).toEqual(['002_dialect']);
    expect(await migrate(target, more, options)).toEqual(['002_dialect']);
    expect(dialects).toEqual([databases.dialect]);
    expect(await pending(target, more, options)).toEqual([]);
  });

  it('keeps sets apart', async () => {
    const target = databaseTarget(await databases.create());
    const other: Migrations = { '001_notes': { up: async (db) => db.schema.createTable('other').execute() } };
    await migrate(target, notes, options);
    expect(await pending(target, other, { tableName: 'other_steps' })).toEqual(['001_notes']);
  });

  it('names the step that failed and undoes all of them', async () => {
    const url = await databases.create();
    const target = databaseTarget(url);
    await expect(migrate(target, broken, options)).rejects.toThrow(
      /^Migration 003_broken failed: .*nowhere.*, in the statement: insert into nowhere values \(1\)$/,
    );
    expect(await pending(target, broken, options)).toEqual(Object.keys(broken));
    const database = await databases.open(url);
    for (const table of ['notes', 'more', 'half']) {
      await expect(database.get(query(`select * from ${table}`))).rejects.toThrow(table);
    }
  });

  it('undoes all sets where the last one fails', async () => {
    const target = databaseTarget(await databases.create());
    const sets = [
      { migrations: notes, tableName: 'first_steps' },
      { migrations: { '001_broken': broken['003_broken'] ?? { up: async () => {} } }, tableName: 'steps' },
    ];
    await expect(migrateAll(target, sets)).rejects.toThrow('Migration 001_broken failed');
    expect(await pending(target, notes, { tableName: 'first_steps' })).toEqual(['001_notes']);
  });

  it('asks its conditions before anything is written, and once more before it is committed', async () => {
    const target = databaseTarget(await databases.create());
    const sets = [{ migrations: notes, ...options }];
    const refused = (conditions: Conditions) => migrateAll(target, sets, conditions);
    await expect(refused({ before: () => Promise.reject(new Error('not now')) })).rejects.toThrow('not now');
    const after = async (ask: Ask): Promise<void> => {
      expect(await ask('select id from notes')).toHaveLength(1);
      throw new Error('not like this');
    };
    await expect(refused({ after })).rejects.toThrow('not like this');
    expect(await pending(target, notes, options)).toEqual(['001_notes']);
  });

  it('goes on where the database is further than the program, and says by what', async () => {
    const target = databaseTarget(await databases.create());
    const { '001_notes': first } = notes;
    const step = { up: async () => {} };
    await migrate(target, { '001_notes': first ?? step, '002_later': step }, options);
    expect(await migrateAll(target, [{ migrations: notes, ...options }])).toEqual({
      applied: [],
      later: ['002_later'],
    });
  });

  it('refuses an order that was never tried', async () => {
    const target = databaseTarget(await databases.create());
    const step = { up: async () => {} };
    await migrate(target, { '001': step, '003': step }, options);
    await expect(migrate(target, { '001': step, '004': step }, options)).rejects.toThrow(/has applied 003/);
    await expect(migrate(target, { '001': step, '002': step, '003': step }, options)).rejects.toThrow(
      /002 is pending, but 003/,
    );
    await expect(migrate(target, { '001': step, '002': step }, options)).rejects.toThrow(
      /002 is pending, but 003/,
    );
  });
});

describeDatabase('sqlite', 'migrate', (databases) => {
  it('rebuilds a table that others refer to, and commits nothing that breaks a reference', async () => {
    const url = await databases.create();
    const target = databaseTarget(url);
    const steps: Migrations = {
      '001': {
        up: async (db) => {
          await sql`create table users (id integer primary key)`.execute(db);
          await sql`create table posts (user_id integer references users (id) on delete cascade)`.execute(db);
          await sql`insert into users values (1)`.execute(db);
          await sql`insert into posts values (1)`.execute(db);
        },
      },
      '002': {
        up: async (db) => {
          await sql`create table new_users (id integer primary key, name text)`.execute(db);
          await sql`insert into new_users (id) select id from users`.execute(db);
          await sql`drop table users`.execute(db);
          await sql`alter table new_users rename to users`.execute(db);
        },
      },
    };
    await migrate(target, steps, options);
    const database = await databases.open(url);
    expect(await database.get(query('select count(*) as n from posts'))).toEqual({ n: 1 });
    const breaking: Migrations = {
      ...steps,
      '003': { up: async (db) => void (await sql`delete from users`.execute(db)) },
    };
    await expect(migrate(target, breaking, options)).rejects.toThrow(/rows of posts .* rows of users/);
    expect(await database.get(query('select count(*) as n from users'))).toEqual({ n: 1 });
  });

  it('migrate does not make a file to find out what is pending', async () => {
    const url = await databases.create();
    expect(await pending(databaseTarget(url), broken, options)).toEqual(Object.keys(broken));
    expect(existsSync(url.slice('sqlite:'.length))).toBe(false);
  });
});
