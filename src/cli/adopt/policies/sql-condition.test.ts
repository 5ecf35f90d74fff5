import { describe, expect, it } from 'vitest';
import type { DescribedTable, StoredType } from '../../../database/described-tables.ts';
import { alwaysMet, type PolicyCondition, unknownReasons } from './condition.ts';
import { sqlCondition } from './sql-condition.ts';
import { parseSqlExpression } from './sql-expression.ts';

const text: StoredType = { kind: 'text', max: undefined, padded: false, foldsCase: false };

const table = (name: string, columns: Readonly<Record<string, StoredType>>): DescribedTable => ({
  schema: 'public',
  name,
  kind: 'table',
  columns: Object.entries(columns).map(([column, type]) => ({
    name: column,
    declared: type.kind,
    type,
    holds: [],
    notNull: false,
    provision: undefined,
    comment: undefined,
    readable: true,
    checks: [],
  })),
  key: ['id'],
  unique: [],
  references: [],
  checks: [],
  comment: undefined,
  rowSecurity: 'exempt',
  partitionOf: undefined,
  inherits: undefined,
  extension: undefined,
  internal: false,
  rights: ['select'],
});

const uuid: StoredType = { kind: 'uuid' };
const notes = table('notes', { id: uuid, author: uuid, team: text, state: text, open: { kind: 'boolean' } });
const members = table('members', { id: uuid, person: uuid, team: text, role: text });

const read = (sql: string, role = 'authenticated', readable: PolicyCondition = alwaysMet): PolicyCondition =>
  sqlCondition(parseSqlExpression(sql), notes, {
    role,
    anonymous: role === 'anon',
    claims: new Set(['sub', 'app.person']),
    tableAt: ([name]) => [notes, members].find((each) => each.name === name),
    readable: () => readable,
  });

const caller = (column: string): PolicyCondition => ({ kind: 'caller', column });
const value = (column: string, ...values: (string | boolean)[]): PolicyCondition => ({
  kind: 'value',
  column,
  values,
  not: false,
});
const among = (rule: PolicyCondition): object => ({ kind: 'among', column: 'team', on: 'team', rule });

describe('expressions of row security', () => {
  it.each<[string, object]>([
    ['(author = auth.uid())', caller('author')],
    ['(( SELECT auth.uid() AS uid) = author)', caller('author')],
    ["((author)::text = (auth.jwt() ->> 'sub'::text))", caller('author')],
    ["(author = (NULLIF(current_setting('app.person'::text, true), ''::text))::uuid)", caller('author')],
    ["((state)::text = 'live'::text)", value('state', 'live')],
    ["(state = ANY (ARRAY['live'::text, 'gone'::text]))", value('state', 'live', 'gone')],
    ["(state <> ALL (ARRAY['live'::text]))", { ...value('state', 'live'), not: true }],
    ['(NOT open)', { ...value('open', true), not: true }],
    ["(auth.role() = 'authenticated'::text)", { kind: 'always' }],
    ["(auth.role() = 'other'::text)", { kind: 'never' }],
    ['(auth.uid() IS NOT NULL)', { kind: 'always' }],
    ['(open OR (author = auth.uid()))', { kind: 'any', rules: [value('open', true), caller('author')] }],
    [
      '(EXISTS ( SELECT 1\n   FROM members m\n  WHERE ((m.team = notes.team) AND (m.person = auth.uid()))))',
      among(caller('person')),
    ],
    [
      '(team IN ( SELECT members.team\n   FROM members\n  WHERE (members.person = auth.uid())))',
      among(caller('person')),
    ],
    [
      '(auth.uid() IN ( SELECT m.person\n   FROM members m\n  WHERE (m.team = notes.team)))',
      among(caller('person')),
    ],
  ])('%s is a condition', (sql, condition) => {
    expect(read(sql)).toMatchObject(condition);
  });

  it.each([
    ['(length > 3)', '"length"', ''],
    ['(state > team)', '', 'a comparison by ">"'],
    ['(lower(state) = team)', '', 'lower(…)'],
    ['(state = team)', '', 'compared with each other'],
    ["((auth.jwt() ->> 'org'::text) = team)", '', 'the claim org'],
    ['(author <> auth.uid())', '', 'compared with the caller by "not"'],
    ['(state = NULL::text)', '', 'compared with null'],
    ["((state)::character varying(2) = 'a'::text)", '', 'compared as character varying(2)'],
    [
      '(EXISTS ( SELECT 1\n   FROM members m\n  WHERE (m.person = auth.uid())))',
      '',
      'nothing to do with the record',
    ],
    ['(team = ( SELECT m.team\n   FROM members m\n  WHERE (m.person = auth.uid())))', '', 'may have several'],
    [
      '(NOT (EXISTS ( SELECT 1\n   FROM members m\n  WHERE ((m.team = notes.team) AND (m.person = auth.uid())))))',
      '',
      'no rows of members',
    ],
    ['(EXISTS ( SELECT 1\n   FROM other o\n  WHERE (o.team = notes.team)))', '', 'other is no table'],
  ])('%s is named', (sql, _column, reason) => {
    expect(unknownReasons(read(sql)).join()).toContain(reason);
    expect(unknownReasons(read(sql))).not.toEqual([]);
  });

  it.each([
    "(state = E'a\\\\b')",
    '(EXISTS ( SELECT 1 FROM (members m JOIN notes n ON ((n.id = m.id)))))',
    '(EXISTS ( SELECT 1 FROM members m LIMIT 1))',
    "(state ~~ 'a%'::text)",
    'CASE WHEN open THEN true ELSE false END',
    '(state = ',
    `${'('.repeat(80)}open${')'.repeat(80)}`,
  ])('%s is refused', (sql) => {
    expect(() => parseSqlExpression(sql)).toThrow(SyntaxError);
  });

  it('asks the policies of a table within a policy', () => {
    const sql =
      '(EXISTS ( SELECT 1\n   FROM members m\n  WHERE ((m.team = notes.team) AND (m.person = auth.uid()))))';
    expect(read(sql, 'authenticated', caller('person'))).toMatchObject(among(caller('person')));
    expect(read(sql, 'authenticated', value('role', 'owner'))).toMatchObject({
      rule: { kind: 'all', rules: [caller('person'), value('role', 'owner')] },
    });
    expect(read(sql, 'authenticated', { kind: 'never' })).toEqual({ kind: 'never' });
  });

  it('knows no caller where a role has none', () => {
    expect(read('(auth.uid() IS NULL)', 'anon')).toEqual(alwaysMet);
    expect(unknownReasons(read('(author = auth.uid())', 'anon'))).not.toEqual([]);
  });
});
