import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import type { Database, SqlValue } from '../database/database.ts';
import { tableStatements } from '../database/migrations/schema.ts';
import { identifier, join, sql, statement, where } from '../database/statement.ts';
import { field } from '../fields/define.ts';
import { defineResource } from '../model/define-resource.ts';
import { collectModels } from '../model/models.ts';
import type { RowExpression } from '../model/row-expression.ts';
import { allOf, anyOf, equals, member, own, type RowRule, via } from '../model/row-rule.ts';
import { reachConditions, reachOf } from '../records/rows/reach.ts';
import type { PlainValues } from './evaluate.ts';
import { shapesOf } from './shapes.ts';
import { compareConditions, type Witness } from './verdict.ts';

const fields = {
  Team: { name: field.string() },
  Seat: {
    team: field.reference('Team', { required: true }),
    role: field.enum(['viewer', 'owner'], { required: true }),
    user_id: field.owner(),
  },
  Board: { team: field.reference('Team'), open: field.boolean({ required: true }), user_id: field.owner() },
  Card: {
    state: field.enum(['new', 'done'], { required: true }),
    price: field.decimal(),
    due: field.date(),
    at: field.datetime(),
    code: field.string(),
    open: field.boolean(),
    team: field.reference('Team'),
    board: field.reference('Board'),
    user_id: field.owner(),
  },
} as const;

const inTeam = member('team_id', { of: 'Seat' });
const asOwner = member('team_id', { of: 'Seat', where: { role: 'owner' } });

/** Rules, of which each is compared with each. */
const rules: Readonly<Record<string, RowRule>> = {
  own: own(),
  'in a team': inTeam,
  'an owner': asOwner,
  'a price': equals('price', '12.50'),
  'a day': equals('due', '2026-01-01'),
  'a time': equals('at', '2026-01-01T00:00:00.000Z'),
  'a code': equals('code', 'other 1'),
  'own and open': allOf(own(), equals('open', true)),
  'a board of the team': via('board', inTeam),
  'an open board': via('board', equals('open', true)),
  'a board of mine, or a team': anyOf(via('board', own()), asOwner),
  'a board of my team with a price': allOf(
    via('board', allOf(asOwner, equals('open', false))),
    equals('price', '12.50'),
  ),
  'two teams': allOf(inTeam, via('board', asOwner)),
};

const applicationOf = (rule: RowRule) =>
  collectModels(
    Object.entries(fields).map(([name, each]) =>
      defineResource(name, { fields: each, ...(name === 'Card' && { isolation: rule as never }) }),
    ),
  );

const ruleOf = (rule: RowRule) => {
  const found = applicationOf(rule).get('Card')?.rules.isolation?.read;
  if (found === undefined) throw new Error('no rule');
  return found;
};

const tables = { Team: 'teams', Seat: 'seats', Board: 'boards', Card: 'cards' } as const;

/** PlainValues that a record needs beside those that a witness names. */
const needed: Readonly<Record<string, PlainValues>> = {
  Team: {},
  Seat: { team_id: 1, role: 'viewer' },
  Board: { open: false },
  Card: { state: 'new' },
};

describeEachDatabase('worlds that show a verdict', (databases) => {
  let database: Database;
  const models = applicationOf(own());
  const shapes = shapesOf(models);

  beforeAll(async () => {
    database = await databases.open();
    const run = (text: string) => database.execute({ sql: text, parameters: [] });
    await run('create table users (id integer primary key)');
    const references = { team: 'teams', board: 'boards' };
    for (const [name, each] of Object.entries(fields))
      for (const text of tableStatements(
        tables[name as keyof typeof tables],
        { fields: each, references },
        database.dialect,
      ))
        await run(text);
  });
  afterAll(() => database.close());

  const insert = async (model: string, record: PlainValues): Promise<void> => {
    const at = '2026-01-01T00:00:00.000Z';
    const values = { ...needed[model], ...record, created_at: at, updated_at: at };
    const names = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
    const made = statement<{ values: readonly SqlValue[] }>(database.dialect, (param) => {
      const columns = names.map(([name]) => identifier(name));
      const places = names.map((_, index) => param('values', index));
      const over = database.dialect.name === 'postgres' ? sql` overriding system value` : sql``;
      return sql`insert into ${identifier(tables[model as keyof typeof tables])} (${join(columns)})${over} values (${join(places)})`;
    });
    await database.execute(made({ values: names.map(([, value]) => value as SqlValue) }));
  };

  /** The records that are missing: users and teams that a world names and does not describe. */
  const surround = async ({ record, caller, related }: Witness): Promise<void> => {
    const all = [record, ...related.map((each) => each.record)];
    const ids = (name: string) => new Set(all.flatMap((each) => each[name] ?? []));
    for (const id of new Set([...ids('user_id'), caller ?? 1]))
      await database.execute({ sql: `insert into users (id) values (${Number(id)})`, parameters: [] });
    const teams = new Set([...ids('team_id'), 1]);
    for (const id of teams) await insert('Team', { id });
    const boards = related.flatMap((each) => (each.model === 'Board' ? (each.record['id'] ?? []) : []));
    const { board_id } = record;
    if (board_id !== null && board_id !== undefined && !boards.includes(board_id))
      await insert('Board', { id: board_id });
  };

  const isReached = async (rule: RowRule, id: unknown, caller: number): Promise<boolean> => {
    const reach = reachOf({ rows: ruleOf(rule).user.map((term) => ({ rule: term, caller })) });
    if (reach === undefined) return false;
    const read = statement<{ rows: readonly SqlValue[]; id: SqlValue }>(database.dialect, (param) => {
      const column = (of: string) => identifier('t', of);
      const met = reachConditions(reach.terms, column, (at) => param('rows', at), 'hold', database.dialect);
      const one = [...met, sql`${column('id')} = ${param('id')}`];
      return sql`select 1 as found from ${identifier('cards')} as ${identifier('t')}${where(one)}`;
    });
    const found = await database.all(read({ rows: reach.values, id: id as SqlValue }));
    return found.length === 1;
  };

  /** Stores a world, and asks the database itself. */
  const confirm = async (witness: Witness, held: RowRule, refuted: RowRule): Promise<unknown> => {
    for (const table of ['cards', 'boards', 'seats', 'teams', 'users'])
      await database.execute({ sql: `delete from ${table}`, parameters: [] });
    await surround(witness);
    const boards = witness.related.filter(({ model }) => model === 'Board');
    for (const { model, record } of [...boards, ...witness.related.filter((each) => !boards.includes(each))])
      await insert(model, record);
    await insert('Card', witness.record);
    const { id } = witness.record;
    const caller = witness.caller ?? 0;
    return [await isReached(held, id, caller), await isReached(refuted, id, caller)];
  };

  it('the database itself confirms worlds that show a verdict', async () => {
    const expressions = new Map(
      Object.values(rules).map((rule): [RowRule, RowExpression] => [rule, ruleOf(rule).expression]),
    );
    const wrong: string[] = [];
    let shown = 0;
    for (const [one, before] of Object.entries(rules))
      for (const [other, after] of Object.entries(rules)) {
        const [was, is] = [expressions.get(before), expressions.get(after)];
        if (one === other || was === undefined || is === undefined) continue;
        const { gained } = compareConditions({ shapes, model: 'Card', action: 'read', user: true }, was, is);
        if (gained === undefined) continue;
        shown += 1;
        const found = await confirm(gained, after, before);
        if (String(found) !== 'true,false')
          wrong.push(`${one} → ${other}: ${String(found)} ${JSON.stringify(gained)}`);
      }
    expect(wrong).toEqual([]);
    expect(shown).toBeGreaterThan(130);
  });
});
