import { describe, expect, it } from 'vitest';
import { RecentCommits, writesTo } from './recent-commits.ts';

const none = Number.NEGATIVE_INFINITY;

describe('recent commits', () => {
  it('recent commits are the last one of each caller', async () => {
    const commits = new RecentCommits();
    commits.add('user:1', 5);
    commits.add('user:2', 7);
    commits.add('user:1', 8);
    expect(await commits.lastOf(() => 'user:1')).toBe(8);
    expect(await commits.lastOf(() => 'user:2')).toBe(7);
    expect(await commits.lastOf(() => 'user:3')).toBe(none);
  });

  it('recent commits include those that concern every caller', async () => {
    const commits = new RecentCommits();
    commits.addForAll(9);
    expect(await commits.lastOf(() => expect.unreachable('no caller has committed'))).toBe(9);
    commits.add('user:1', 8);
    expect(await commits.lastOf(() => 'user:1')).toBe(9);
    commits.add('user:1', 10);
    expect(await commits.lastOf(() => 'user:1')).toBe(10);
    expect(await commits.lastOf(() => 'user:2')).toBe(9);
  });

  it('recent commits of callers that are forgotten concern every caller', async () => {
    const commits = new RecentCommits();
    for (let id = 1; id <= 25_000; id += 1) commits.add(`user:${id}`, id);
    for (let id = 1; id <= 25_000; id += 1)
      expect(await commits.lastOf(() => `user:${id}`)).toBeGreaterThanOrEqual(id);
  });
});

describe('statements that write to a table', () => {
  const writes = writesTo(['seats', 'users']);
  it.each([
    'insert into "seats" ("a") values ($1)',
    'update only public.seats set a = 1',
    'DELETE\n FROM "public"."seats"',
    'with _written as (insert into "notes" default values), _b as (update "users" set x = 1) select 1',
    'truncate users',
  ])('finds the write to a table in %s', (sql) => expect(writes(['select 1', sql])).toBe(true));
  it.each([
    'insert into "seats_old" values (1)',
    'update tasks set a = 1 where team_id in (select team_id from seats)',
    'select * from users',
  ])('a statement writes to no table: %s', (sql) => expect(writes([sql])).toBe(false));
});
