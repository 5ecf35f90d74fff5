import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from './open.ts';
import { databaseTarget } from './targets.ts';

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
  const database = await openDatabase(databaseTarget('sqlite::memory:'));
  await database.execute({ sql: 'create table t (a integer)', parameters: [] });
  const row = await database.get<{ file: string }>({
    sql: 'select file from pragma_database_list',
    parameters: [],
  });
  const file = row?.file ?? '';
  expect(existsSync(file)).toBe(true);
  await database.close();
  expect(existsSync(dirname(file))).toBe(false);
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
