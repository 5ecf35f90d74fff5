import { describe, expect, it } from 'vitest';
import { KnownCommits } from './known-commits.ts';
import { formatPosition, lsnOf, parsePosition } from './position.ts';
import { writesTo } from './written-tables.ts';

const at = (lsn: number, timeline = '00000001') => ({ timeline, lsn });

describe('known commits', () => {
  let time = 0;
  const known = () => new KnownCommits(1_000, () => time);

  it('remembers the last commit of each caller for as long as a replica may be behind', () => {
    const commits = known();
    commits.add('user:1', at(5));
    commits.add('user:2', at(7));
    commits.add('user:1', at(3));
    expect([commits.of('user:1'), commits.of('user:2'), commits.of('user:3')]).toEqual([
      [at(5)],
      [at(7)],
      [],
    ]);
    time += 1_000;
    expect(commits.of('user:1')).toEqual([at(5)]);
    time += 1;
    expect(commits.of('user:1')).toEqual([]);
  });

  it('keeps commits that concern everybody, and those of unknown place until the next', () => {
    const commits = known();
    commits.add(undefined, at(9));
    commits.add('user:1', undefined);
    expect(commits.of('user:1')).toEqual([at(9), undefined]);
    commits.add('user:1', at(10));
    expect(commits.of('user:1')).toEqual([at(9), at(10)]);
    commits.add('user:1', at(4, '00000002'));
    expect(commits.of('user:1')).toEqual([at(9), at(4, '00000002')]);
  });

  it('forgets no caller, however many there are', () => {
    const commits = known();
    commits.add('user:0', at(50_000));
    for (let id = 1; id <= 25_000; id += 1) commits.add(`user:${id}`, at(id));
    const seen = (caller: string) => Math.max(...commits.of(caller).map((position) => position?.lsn ?? 0));
    expect(seen('user:0')).toBeGreaterThanOrEqual(50_000);
    for (let id = 1; id <= 25_000; id += 1) expect(seen(`user:${id}`)).toBeGreaterThanOrEqual(id);
  });
});

describe('positions', () => {
  it('travel as they are, and nothing else is one', () => {
    const position = at(lsnOf('16/B374D848'), '0000001A');
    expect(formatPosition(position)).toBe('1a-16b374d848');
    expect(parsePosition('1a-16b374d848')).toEqual(position);
    for (const text of [
      '',
      '-',
      '1-',
      '-1',
      '1-1-1',
      '1-G',
      ' 1-1',
      '1-1\n',
      '1A-1',
      '1-12345678901234',
      '123456789-1',
    ])
      expect(parsePosition(text)).toBeUndefined();
  });

  it('are the end of a page where the next one holds nothing but its header', () => {
    expect(lsnOf('0/2018')).toBe(0x2000);
    expect(lsnOf('0/1000028')).toBe(0x1000000);
    expect(lsnOf('0/2030')).toBe(0x2030);
    expect(lsnOf('0/2000')).toBe(0x2000);
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
  ])('%s', (sql) => expect(writes(['select 1', sql])).toBe(true));
  it.each([
    'insert into "seats_old" values (1)',
    'update tasks set a = 1 where team_id in (select team_id from seats)',
    'select * from users',
  ])('not: %s', (sql) => expect(writes([sql])).toBe(false));
});
