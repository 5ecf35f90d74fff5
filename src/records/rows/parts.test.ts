import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import type { Database } from '../../database/database.ts';
import { tableStatements } from '../../database/migrations/schema.ts';
import { type Fragment, identifier, sql, statement, where } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import { defineResource } from '../../model/define-resource.ts';
import { collectModels } from '../../model/models.ts';
import { allOf, anyOf, equals, member, own, type RowRule, via } from '../../model/row-rule.ts';
import { parseListParameters } from '../list/parameters.ts';
import { ListPlanner } from '../list/plan.ts';
import { ReachSizes } from '../list/run.ts';
import { resourceSource, sourceView } from '../view.ts';
import { type RowReach, reachConditions, reachOf, reachParts } from './reach.ts';

const plain = { name: field.string({ max: 20 }) };
const seat = { team: field.reference('Team'), role: field.enum(['viewer', 'owner']), user_id: field.owner() };
const board = { team: field.reference('Team'), open: field.boolean() };
const card = {
  state: field.enum(['closed', 'public']),
  team: field.reference('Team'),
  board: field.reference('Board'),
  user_id: field.owner(),
};
const inTeam = member('team_id', { of: 'Seat' });

const rules = {
  'a team': inTeam,
  'a role': member('team_id', { of: 'Seat', where: { role: 'owner' } }),
  'a parent': via('board', inTeam),
  'an open parent': via('board', equals('open', true)),
  alternatives: anyOf(own(), inTeam, equals('state', 'public')),
  'alternatives in one another': anyOf(
    own(),
    anyOf(via('board', inTeam), allOf(inTeam, equals('state', 'public'))),
  ),
  'alternatives and a condition': allOf(equals('state', 'public'), anyOf(own(), via('board', inTeam))),
  'two times alternatives': allOf(
    anyOf(own(), inTeam),
    anyOf(equals('state', 'public'), via('board', inTeam)),
  ),
} satisfies Record<string, RowRule>;

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

/** Rows of `cards` that the steps of a plan return. */
const rowsRead = (node: PlanNode): number =>
  (node['Relation Name'] === 'cards' ? node['Actual Rows'] * node['Actual Loops'] : 0) +
  (node.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), 0);

const applicationOf = (rule: RowRule) =>
  collectModels([
    defineResource('Team', { fields: plain }),
    defineResource('Seat', { fields: seat }),
    defineResource('Board', { fields: board }),
    defineResource('Card', { fields: card, isolation: rule as never }),
  ]);

const cardOf = (rule: RowRule) => {
  const model = applicationOf(rule).get('Card');
  if (model?.rules.isolation === undefined) throw new Error('no rule');
  return { model, rule: model.rules.isolation.read };
};

const reachOfCaller = (rule: RowRule, caller: number): RowReach => {
  const reach = reachOf({ rows: cardOf(rule).rule.user.map((term) => ({ rule: term, caller })) });
  if (reach === undefined) throw new Error('no reach');
  return reach;
};

const cards = 60_000;
const numbers = (count: number): string =>
  `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})`;

describeEachDatabase('the parts of a rule', (databases) => {
  let database: Database;
  const dialect = () => database.dialect;

  beforeAll(async () => {
    database = await databases.open();
    const all = applicationOf(rules.alternatives);
    const indexes = (model: string) =>
      all
        .get(model)
        ?.indexes.map(({ columns }) => columns)
        .filter(({ length }) => length > 1) ?? [];
    const run = (text: string) => database.execute({ sql: text, parameters: [] });
    await run('create table users (id integer primary key)');
    const made = [
      ['teams', { fields: plain }],
      ['seats', { fields: seat, references: { team: 'teams' }, indexes: indexes('Seat') }],
      ['boards', { fields: board, references: { team: 'teams' } }],
      ['cards', { fields: card, references: { team: 'teams', board: 'boards' }, indexes: [['state']] }],
    ] as const;
    for (const [table, shape] of made)
      for (const text of tableStatements(table, shape, dialect())) await run(text);
    const at = "'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'";
    await run(`insert into users (id) ${numbers(50)} select i from n`);
    await run(
      `insert into teams (name, created_at, updated_at) ${numbers(60)} select 'T' || i, ${at} from n`,
    );
    await run(`insert into seats (team_id, role, user_id, created_at, updated_at) ${numbers(100)}
      select 1 + i * 7 % 60, case when i % 3 = 0 then 'owner' else 'viewer' end, 1 + i % 50, ${at} from n`);
    await run(`insert into boards (team_id, open, created_at, updated_at) ${numbers(90)}
      select 1 + i * 11 % 60, i % 9 = 0, ${at} from n`);
    await run(`insert into cards (state, team_id, board_id, user_id, created_at, updated_at) ${numbers(cards)}
      select case when i % 37 = 0 then 'public' when i % 3 = 0 then null else 'closed' end,
        case when i % 5 = 0 then null else 1 + i * 13 % 60 end, case when i % 7 = 0 then null else 1 + i * 17 % 90 end,
        case when i % 11 = 0 then null else 1 + i * 19 % 50 end, ${at} from n`);
    await run('analyze');
  });

  const ids = async (
    { values }: RowReach,
    conditions: (value: (index: number) => Fragment) => readonly Fragment[],
  ) => {
    const read = statement<{ rows: typeof values }>(dialect(), (param) => {
      const met = conditions((index) => param('rows', index));
      return sql`select ${identifier('t', 'id')} as id from ${identifier('cards')} as ${identifier('t')}${where(met)} order by 1`;
    });
    return (await database.all<{ id: number }>(read({ rows: values }))).map(({ id }) => Number(id));
  };
  const column = (of: string) => identifier('t', of);

  it.each(Object.entries(rules))(
    'the parts of a rule are disjoint and cover all rows: %s',
    async (_name, rule) => {
      for (const caller of [17, 49]) {
        const reach = reachOfCaller(rule, caller);
        const whole = (asked: 'find' | 'hold') =>
          ids(reach, (value) => reachConditions(reach.terms, column, value, asked, dialect()));
        const held = await whole('hold');
        expect(held.length).toBeGreaterThan(0);
        expect(held.length).toBeLessThan(cards);
        expect(await whole('find')).toEqual(held);
        const count = reachParts(reach.terms, column, () => sql`1`, dialect())?.length ?? 0;
        const parts: number[] = [];
        for (let part = 0; part < count; part += 1)
          parts.push(
            ...(await ids(
              reach,
              (value) => reachParts(reach.terms, column, value, dialect())?.[part]?.conditions ?? [],
            )),
          );
        expect(parts.sort((a, b) => a - b)).toEqual(held);
      }
    },
  );

  it.each(['a team', 'a role', 'a parent', 'alternatives', 'alternatives in one another'] as const)(
    'the parts of a rule find a page by indexes, in one statement: %s',
    async (of) => {
      const { model } = cardOf(rules[of]);
      const source = resourceSource(model, new Map());
      const view = sourceView(source, [...model.fields.keys()]);
      const reach = reachOfCaller(rules[of], 17);
      for (const query of ['page=1&per_page=20', 'per_page=20', 'page=3&per_page=20&sort=-created_at']) {
        const list = new ListPlanner(dialect()).prepare(view, reach, parseListParameters(view, query, 1000));
        const page = list.plan.page({ ...list.values, rows: reach.values, now: null, monthAgo: null });
        const words = databases.dialect === 'postgres' ? 'explain' : 'explain query plan';
        const steps = await database.all<Record<string, string>>({ ...page, sql: `${words} ${page.sql}` });
        const plan = steps.map((step) => step['detail'] ?? step['QUERY PLAN']).join('\n');
        expect(plan).not.toMatch(/SCAN t\b|Seq Scan on cards/);
      }
    },
  );

  /** A page of a list under a rule: its statement, and its ids. */
  const pageUnder = async (of: keyof typeof rules, query: string) => {
    const { model } = cardOf(rules[of]);
    const view = sourceView(resourceSource(model, new Map()), [...model.fields.keys()]);
    const reach = reachOfCaller(rules[of], 17);
    const list = new ListPlanner(dialect()).prepare(view, reach, parseListParameters(view, query, 1000));
    const page = list.plan.page({ ...list.values, rows: reach.values, now: null, monthAgo: null });
    const [row] = await database.all<{ json: string | Uint8Array }>(page);
    const records: { id: number }[] = JSON.parse(Buffer.from(row?.json ?? '').toString());
    return { page, found: records.map(({ id }) => id) };
  };

  it.each(['a team', 'a role', 'alternatives', 'alternatives in one another'] as const)(
    'pages by key have the rows of the rule in their order, whatever precedes them: %s',
    async (of) => {
      const reach = reachOfCaller(rules[of], 17);
      const all = await ids(reach, (value) => reachConditions(reach.terms, column, value, 'hold', dialect()));
      const down = all.toReversed();
      const isPublic = await ids(reach, (value) => [
        ...reachConditions(reach.terms, column, value, 'hold', dialect()),
        sql`${column('state')} = 'public'`,
      ]);
      expect((await pageUnder(of, 'page=1&per_page=7')).found).toEqual(all.slice(0, 7));
      expect((await pageUnder(of, 'page=3&per_page=7&total=none')).found).toEqual(all.slice(14, 21));
      expect((await pageUnder(of, 'per_page=7&sort=-id&after=')).found).toEqual(down.slice(0, 7));
      expect((await pageUnder(of, 'per_page=1000&sort=-id')).found).toEqual(down.slice(0, 1000));
      expect((await pageUnder(of, 'page=1&per_page=7&filter[state]=public')).found).toEqual(
        isPublic.slice(0, 7),
      );
    },
  );

  it('a member of teams with many rows has a page of few rows read, where the database can find them', async () => {
    const { page, found } = await pageUnder('a team', 'page=1&per_page=2&total=none');
    expect(found).toHaveLength(2);
    // SQLite has no LATERAL, and walks the keys.
    if (databases.dialect === 'sqlite') return;
    const [explained] = await database.all<{ 'QUERY PLAN': unknown }>({
      ...page,
      sql: `explain (analyze, format json) ${page.sql}`,
    });
    const written = explained?.['QUERY PLAN'];
    const [{ Plan: root }]: [{ Plan: PlanNode }] = JSON.parse(
      typeof written === 'string' ? written : JSON.stringify(written),
    );
    expect(rowsRead(root)).toBeLessThan(25);
  });

  it('counts the rows of a caller again after a second, and where the clock was set back', async () => {
    let now = 10_000;
    const { model } = cardOf(rules['a team']);
    const sizes = new ReachSizes(database, resourceSource(model, new Map()), () => now);
    const reach = reachOfCaller(rules['a team'], 50);
    const asked: string[] = [];
    const watched = new ReachSizes(
      Object.assign(Object.create(database) as Database, {
        get: (query: { sql: string }) => {
          asked.push(query.sql);
          return database.get(query as never);
        },
      }),
      resourceSource(model, new Map()),
      () => now,
    );
    expect(await sizes.areFew(reach)).toBe(true);
    expect(await watched.areFew(reach)).toBe(true);
    now += 999;
    expect(await watched.areFew(reach)).toBe(true);
    expect(asked).toHaveLength(1);
    now += 1;
    await watched.areFew(reach);
    expect(asked).toHaveLength(2);
    now -= 1;
    await watched.areFew(reach);
    expect(asked).toHaveLength(3);
    // Rows that no index finds are not counted at all.
    expect(await watched.areFew(reachOfCaller(rules['an open parent'], 50))).toBe(false);
    expect(asked).toHaveLength(3);
  });
});
