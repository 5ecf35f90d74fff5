import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { OpenDatabase } from '../database.ts';
import { openDatabase } from '../open.ts';
import { Revisions } from './database.ts';

const schema = [
  'create table users (id integer primary key, name text)',
  `create table notes (id integer primary key, user_id integer references users (id) on delete cascade, title text,
    deleted_at text, short text generated always as (substr(title, 1, 3)) virtual)`,
  'create table links (id integer primary key, note_id integer references notes (id) on delete set null)',
  'create table marks (id integer primary key, note_id integer)',
  'create trigger marked after insert on marks begin update notes set deleted_at = 1 where id = new.note_id; end',
  `insert into users values (1, 'a'), (2, 'b')`,
  `insert into notes (id, user_id, title) values (1, 1, 'one'), (2, 2, 'two')`,
  'insert into links values (1, 1)',
];
const counts = {
  all: 'select count(*) from notes',
  kept: 'select count(*) from notes where deleted_at is null',
  titled: `select count(*) from notes where title = 'one'`,
  short: `select count(*) from notes where short = 'one'`,
  named:
    'select count(*) from notes as n where exists (select 1 from users as u where u.id = n.user_id and u.name > 1)',
  keys: 'select count(*) from notes where id > 5',
  linked: 'select count(*) from links where note_id is not null',
  users: 'select count(*) from users',
} as const;
type Name = keyof typeof counts;
const names = Object.keys(counts) as Name[];

let directory = '';
let url = '';
let database: OpenDatabase;
let others: OpenDatabase[] = [];

const run = (sql: string, on = database) => on.execute({ sql, parameters: [] });

/** The counts that have another revision after something happened. */
const changedBy = async (happens: () => Promise<unknown>): Promise<readonly Name[]> => {
  const revisions = () => names.map((name) => database.revision?.(counts[name]));
  const before = revisions();
  await happens();
  const after = revisions();
  return names.filter((_, index) => before[index] !== after[index]);
};

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatewright-revisions-'));
  url = `sqlite:${join(directory, 'test.db')}`;
  database = await openDatabase(url);
  others = [];
  for (const sql of schema) await run(sql);
  // The first commit after a question leaves open whether another came before it.
  await changedBy(() => run(`update users set name = name`));
});

afterEach(async () => {
  for (const open of [database, ...others]) await open.close();
  await rm(directory, { recursive: true });
});

const another = async (): Promise<OpenDatabase> => {
  const opened = await openDatabase(url);
  others.push(opened);
  return opened;
};

it('stays the same while nothing is written that is read', async () => {
  expect(await changedBy(async () => {})).toEqual([]);
  expect(await changedBy(() => run(`update notes set title = 'x' where id = 2`))).toEqual([
    'titled',
    'short',
  ]);
  expect(await changedBy(() => run(`update notes set user_id = 2 where id = 1`))).toEqual(['short', 'named']);
  expect(await changedBy(() => run(`update users set name = 'c' where id = 1`))).toEqual(['named']);
  expect(await changedBy(() => run(`insert into links values (3, null)`))).toEqual(['linked']);
});

it('the revision changes for whatever reads of a table that got rows or lost some', async () => {
  const ofNotes = ['all', 'kept', 'titled', 'short', 'named', 'keys'];
  expect(await changedBy(() => run(`insert into notes (id) values (3)`))).toEqual(ofNotes);
  // Rows that replace others are inserted, and those that refer to the replaced ones are changed.
  expect(await changedBy(() => run(`insert or replace into notes (id) values (3)`))).toEqual([
    ...ofNotes,
    'linked',
  ]);
  expect(await changedBy(() => run(`update notes set rowid = 9 where id = 3`))).toEqual(
    expect.arrayContaining(ofNotes),
  );
  const upsert = `insert into notes (id) values (9) on conflict (id) do update set deleted_at = '1'`;
  expect(await changedBy(() => run(upsert))).toEqual(ofNotes);
});

it('the revision changes after what triggers and foreign keys write', async () => {
  expect(await changedBy(() => run('insert into marks values (1, 2)'))).toEqual(['kept', 'short']);
  expect(await changedBy(() => run('delete from users where id = 1'))).toEqual(names);
});

it('sees every statement of a unit and of a group', async () => {
  const statement = (sql: string) => ({ sql, parameters: [] });
  const unit = () =>
    database.write(async (transaction) => {
      await transaction.run(statement(`update notes set title = 'y'`));
      await transaction.get(statement(`insert into links values (5, 1) returning id`));
      await transaction.all(statement(`update notes set user_id = 2 returning id`));
    });
  expect(await changedBy(unit)).toEqual(['titled', 'short', 'named', 'linked']);
  const group = () =>
    Promise.all([
      run(`update notes set title = 'z'`),
      run('delete from links'),
      run(`update users set name = 'd'`),
    ]);
  expect(await changedBy(group)).toEqual(['titled', 'short', 'named', 'linked']);
});

it('the revision changes after a commit whose tables are unknown', async () => {
  const other = await another();
  expect(await changedBy(() => run('update users set name = 1', other))).toEqual(names);
  // A commit of ours behind one of another connection.
  const both = async () => {
    await run('update users set name = 2', other);
    await run('insert into marks values (7, 7)');
  };
  expect(await changedBy(both)).toEqual(names);
  expect(await changedBy(() => run('insert into marks values (8, 8)'))).toEqual(['kept', 'short']);
});

it('the revision changes after a commit of another schema, and goes by the new one from then on', async () => {
  expect(await changedBy(() => run('create table more (id integer)'))).toEqual(names);
  await changedBy(() => run('update users set name = 3'));
  const trigger = 'create trigger moved after update of name on users begin delete from links; end';
  await run(trigger, await another());
  expect(await changedBy(() => run('update users set name = 3'))).toEqual(names);
  await changedBy(() => run('insert into marks values (1, 1)'));
  expect(await changedBy(() => run('update users set name = 3'))).toEqual(['named', 'linked']);
});

it('the revision is that of the snapshot which the reads of a turn share', async () => {
  const other = await another();
  database.renewSnapshot?.();
  const before = database.revision?.(counts.all);
  await run('insert into notes (id) values (20)', other);
  database.renewSnapshot?.();
  expect(database.revision?.(counts.all)).not.toBe(before);
});

/** A file that several write, and the revisions of one of them. */
const file = () => {
  let [version, others] = [1, 1];
  const versions = { now: () => version, read: () => version, others: () => others };
  const revisions = new Revisions(versions, () => new Set(['notes\0']));
  const ours = (written = 'links\0', between = () => {}): void => {
    revisions.begin();
    between();
    version += 1;
    revisions.end(new Set([written]));
  };
  const theirs = (): void => {
    version += 1;
    others += 1;
  };
  const unrecorded = (): void => {
    version += 1;
  };
  const of = () => revisions.of('');
  // Every commit of ours is recorded from the first one after a question on.
  of();
  ours();
  return { ours, theirs, of, unrecorded, versions, before: of() };
};

it('the revision changes where somebody else commits between our own begin and commit', () => {
  const { ours, theirs, of, before } = file();
  ours();
  expect(of()).toBe(before);
  ours('links\0', theirs);
  const behind = of();
  expect(behind).not.toBe(before);
  ours('notes\0');
  expect(of()).not.toBe(behind);
});

it('the revision changes where a commit of ours took effect though it was reported as failed', () => {
  const { ours, of, unrecorded, before } = file();
  unrecorded();
  ours();
  expect(of()).not.toBe(before);
});

it('the revision changes where a version could not be had', () => {
  const { ours, of, versions, before } = file();
  const { now } = versions;
  ours('links\0', () => {
    versions.now = () => {
      throw new Error('disk I/O error');
    };
  });
  versions.now = now;
  expect(of()).not.toBe(before);
});
