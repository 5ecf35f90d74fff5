import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { databaseTarget } from './dialects/target.ts';
import { openDatabase } from './open.ts';

it.each(['', 'sqlite:', 'sqlite::other:', 'mysql://h/d', 'file.db', 'postgres://user:secret@[/d'])(
  'refuses %j without repeating it',
  async (url) => {
    const error: unknown = await openDatabase(url).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toMatch(/database URL/);
    expect(String(error)).not.toContain('secret');
  },
);

it('opens a temporary database as often as its target is used, and removes it with the last file', async () => {
  const target = databaseTarget('sqlite::memory:');
  if (target.dialect !== 'sqlite') throw new Error('not SQLite');
  const database = await openDatabase(target);
  await database.execute({ sql: 'create table t (a integer)', parameters: [] });
  expect(existsSync(target.path)).toBe(true);
  await database.close();
  expect(existsSync(dirname(target.path))).toBe(false);
});

it('gives two temporary databases nothing in common', async () => {
  const [first, second] = await Promise.all([
    openDatabase('sqlite::memory:'),
    openDatabase('sqlite::memory:'),
  ]);
  await first.execute({ sql: 'create table t (a integer)', parameters: [] });
  await expect(second.get({ sql: 'select * from t', parameters: [] })).rejects.toThrow(/no such table/);
  await Promise.all([first.close(), second.close()]);
});
