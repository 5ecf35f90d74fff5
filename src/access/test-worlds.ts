/**
 * Small worlds for the oracle of conditions: random shapes, every world of a few rows, and random conditions. Each
 * condition is evaluated here in its own way: by sets of worlds.
 */

import { Random } from '../../tests/contract/resources/row-rules/random.ts';
import type { ColumnValue } from '../fields/field.ts';
import type { RowExpression } from '../model/row-expression.ts';
import type { StoredTable } from '../model/stored-table.ts';
import type { PlainValues } from './evaluate.ts';
import type { FieldShape, ModelShape, Shapes } from './shapes.ts';
import type { ConditionSubject, Witness } from './verdict.ts';

export { Random };

const stored = (name: string): StoredTable => ({ schema: undefined, name, columns: new Map() });

/** A field of a random shape, and the values that worlds try. */
interface Tried {
  readonly shape: FieldShape;
  readonly tried: readonly ColumnValue[];
}

const plain = {
  required: false,
  values: undefined,
  reference: undefined,
  same: undefined,
  scale: 0,
} as const;
const user: FieldShape = { ...plain, kind: 'reference', column: 'integer', reference: 'User' };
const to = (reference: string): FieldShape => ({ ...plain, kind: 'reference', column: 'integer', reference });
const id: FieldShape = { ...plain, kind: 'id', column: 'integer', required: true };
const flag: FieldShape = { ...plain, kind: 'boolean', column: 'boolean', values: [true, false] };
const choice = (...values: string[]): FieldShape => ({ ...plain, kind: 'enum', column: 'text', values });
const text: FieldShape = { ...plain, kind: 'string', column: 'text' };

export interface SmallWorld {
  readonly record: PlainValues;
  readonly tables: Readonly<Record<string, readonly PlainValues[]>>;
}

export const caller = 1;

/** Shapes, and every world of a few rows that they admit. */
export interface Small {
  readonly shapes: Shapes;
  readonly worlds: readonly SmallWorld[];
  /** The model of the records in question: `Card`, or `Seat`, which are its own memberships. */
  readonly model: 'Card' | 'Seat';
  readonly action: ConditionSubject['action'];
  /** True if boards are memberships too, beside being what cards refer to. */
  readonly ofBoards: boolean;
}

const rowsOf = (fields: Readonly<Record<string, Tried>>): readonly PlainValues[] =>
  Object.entries(fields).reduce<readonly PlainValues[]>(
    (rows, [name, { shape, tried }]) =>
      rows.flatMap((row) =>
        (shape.required ? tried : [...tried, null]).map((value) => ({ ...row, [name]: value })),
      ),
    [{}],
  );

const subsets = (rows: readonly PlainValues[], most: number): readonly (readonly PlainValues[])[] => {
  const one = rows.map((row) => [row]);
  const two = rows.flatMap((row, at) => rows.slice(at + 1).map((other) => [row, other]));
  return [[], ...one, ...(most > 1 ? two : [])];
};

const shapeOf = (fields: Readonly<Record<string, Tried>>, unique: ModelShape['unique'] = []): ModelShape => ({
  fields: new Map([['id', id], ...Object.entries(fields).map(([name, { shape }]) => [name, shape] as const)]),
  unique,
  givesIds: false,
});

const isUnique = (rows: readonly PlainValues[], { unique }: ModelShape): boolean =>
  unique.every((set) => {
    const keys = rows.flatMap((row) =>
      set.some((field) => (row[field] ?? null) === null) ? [] : [set.map((field) => row[field]).join()],
    );
    return new Set(keys).size === keys.length;
  });

/** The worlds of a record among its own kind: it is stored, about to be stored, about to change, or deleted. */
const seatWorlds = (
  action: ConditionSubject['action'],
  record: PlainValues,
  seats: readonly (readonly PlainValues[])[],
  shape: ModelShape,
): readonly SmallWorld[] => {
  const beside = seats.map((others): SmallWorld => ({ record, tables: { Seat: others } }));
  if (action === 'manage') return beside;
  const legal = beside.filter(({ tables: { Seat = [] } }) => isUnique([record, ...Seat], shape));
  if (action === 'create') return legal;
  const within = ({ tables: { Seat = [] } }: SmallWorld, old: PlainValues): SmallWorld => ({
    record,
    tables: { Seat: [old, ...Seat] },
  });
  const kept = legal.map((world) => within(world, record));
  if (action !== 'update') return kept;
  const changed = legal.flatMap((world) =>
    seats.flatMap(([old, second]) => (old === undefined || second !== undefined ? [] : [within(world, old)])),
  );
  return [...kept, ...changed.filter(({ tables: { Seat = [] } }) => isUnique(Seat, shape))];
};

/** The shapes of a seed. */
export const smallOf = (random: Random): Small => {
  const maybe = (shape: FieldShape): FieldShape => ({ ...shape, required: random.chance(0.5) });
  const same = random.chance(0.3) ? 'team_id' : undefined;
  const team = same === undefined ? maybe(to('Team')) : { ...to('Team'), required: true };
  const boardTeam = same === undefined ? maybe(to('Team')) : { ...to('Team'), required: true };
  const model = random.pick(['Card', 'Card', 'Seat'] as const);
  const ofBoards = model === 'Card' && random.chance(0.5);
  const seat = {
    user_id: { shape: maybe(user), tried: [1, 2] },
    team_id: { shape: maybe(to('Team')), tried: [10, 11] },
    role: { shape: maybe(choice('x', 'y')), tried: ['x', 'y'] },
  };
  const board = {
    team_id: { shape: boardTeam, tried: [10, 11] },
    open: { shape: maybe(flag), tried: [true, false] },
    user_id: { shape: maybe(user), tried: [1, 2] },
  };
  const card = {
    user_id: { shape: maybe(user), tried: [1, 2] },
    team_id: { shape: team, tried: [10, 11] },
    board_id: { shape: { ...maybe(to('Board')), same }, tried: [20] },
    state: { shape: maybe(random.chance(0.5) ? choice('a', 'b') : text), tried: ['a', 'b'] },
    flag: { shape: maybe(flag), tried: ofBoards ? [true] : [true, false] },
  };
  if (card.state.shape.values === undefined) card.state.tried.push('c');
  const unique = () => (random.chance(0.4) ? [['user_id', 'team_id']] : []);
  const [seatUnique, boardUnique] = [unique(), unique()];
  const shapes = new Map([
    ['Seat', shapeOf(seat, seatUnique)],
    ['Board', shapeOf(board, boardUnique)],
    ['Card', shapeOf(card)],
    ['Team', shapeOf({})],
  ]);
  const seats = subsets(
    rowsOf(seat).filter((row) => row['user_id'] === caller && row['team_id'] !== null),
    ofBoards ? 1 : 2,
  ).filter((rows) => isUnique(rows, shapeOf(seat, seatUnique)));
  const action = random.pick(['read', 'read', 'create', 'update', 'destroy', 'manage'] as const);
  if (model === 'Seat') {
    const shape = shapeOf(seat, seatUnique);
    const legal = rowsOf(seat).flatMap((record) => seatWorlds(action, record, seats, shape));
    return { shapes, worlds: legal, model, action, ofBoards };
  }
  const boards = rowsOf(board).map((row): PlainValues => ({ ...row, id: 20 }));
  const others = subsets(
    ofBoards ? rowsOf(board).filter((row) => row['user_id'] === caller && row['team_id'] !== null) : [],
    1,
  ).map((rows) => rows.map((row): PlainValues => ({ ...row, id: 21 })));
  // A deleted card goes on referring to the board as it was then.
  const boardTables = boards.flatMap((named) =>
    others.map((more) =>
      action === 'manage' ? { 'kept Board': [named], Board: more } : { Board: [named, ...more] },
    ),
  );
  const tables = boardTables
    .filter(({ Board }) => isUnique(Board, shapeOf(board, boardUnique)))
    .flatMap((each) => seats.map((Seat): SmallWorld['tables'] => ({ Seat, ...each })));
  const worlds = rowsOf(card).flatMap((record) => tables.map((each) => ({ record, tables: each })));
  const legal = worlds.filter(
    ({ record, tables: { Board = [], 'kept Board': kept = Board } }) =>
      same === undefined || record['board_id'] === null || kept[0]?.['team_id'] === record['team_id'],
  );
  return { shapes, worlds: legal, model, action, ofBoards };
};

/** One bit for each world. */
type Worlds = Uint32Array;

/** The worlds in which conditions hold; those of simple conditions are found once. */
export class WorldSets {
  readonly #worlds: readonly SmallWorld[];
  readonly #known = new Map<string, Worlds>();
  readonly user: boolean;

  constructor({ worlds }: Small, isUser: boolean) {
    this.#worlds = worlds;
    this.user = isUser;
  }

  of(expression: RowExpression): Worlds {
    if ('rules' in expression) {
      const [first, ...others] = expression.rules.map((rule) => this.of(rule));
      const joined = new Uint32Array(first ?? this.#nothing(expression.kind === 'allOf'));
      for (const other of others)
        for (let at = 0; at < joined.length; at += 1) {
          const [a = 0, b = 0] = [joined[at], other[at]];
          joined[at] = expression.kind === 'anyOf' ? a | b : a & b;
        }
      return joined;
    }
    // A reference to a record that meets several conditions: the record is one.
    if (expression.kind === 'via' && 'rules' in expression.rule) {
      const { kind, rules } = expression.rule;
      return this.of({ kind, rules: rules.map((rule) => ({ ...expression, rule })) });
    }
    const key = JSON.stringify(expression);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = this.#nothing(false);
    for (const [at, { record, tables }] of this.#worlds.entries())
      if (isSo(expression, record, tables, this.user ? caller : null))
        made[at >> 5] = (made[at >> 5] ?? 0) | (1 << (at & 31));
    this.#known.set(key, made);
    return made;
  }

  #nothing(isAll: boolean): Worlds {
    const made = new Uint32Array(Math.ceil(this.#worlds.length / 32));
    if (isAll)
      for (let at = 0; at < this.#worlds.length; at += 1)
        made[at >> 5] = (made[at >> 5] ?? 0) | (1 << (at & 31));
    return made;
  }
}

/** True if a world of the first set is not in the second one. */
export const hasMore = (one: Worlds, other: Worlds): boolean =>
  one.some((word, at) => (word & ~(other[at] ?? 0)) !== 0);

/** The oracle's own reading of a condition. */
export const isSo = (
  expression: RowExpression,
  row: PlainValues,
  tables: SmallWorld['tables'],
  who: number | null,
): boolean => {
  if ('rules' in expression) {
    const { kind, rules } = expression;
    const isEach = kind === 'allOf';
    return rules.reduce((so, rule) => (isSo(rule, row, tables, who) === isEach ? so : !isEach), isEach);
  }
  const value = row[expression.column];
  if (value === null || value === undefined) return false;
  if (expression.kind === 'own') return who === value;
  if (expression.kind === 'equals') return value === expression.value;
  const rows = tables[expression.model] ?? [];
  if (expression.kind === 'via') {
    const named = (tables[`kept ${expression.model}`] ?? rows).filter((each) => each['id'] === value);
    return named.length > 0 && isSo(expression.rule, named[0] ?? {}, tables, who);
  }
  if (who === null) return false;
  const own = rows.filter((each) => each[expression.owner] === who && each[expression.on] === value);
  return own.some((each) =>
    expression.where.every(({ column, values }) => values.includes(each[column] as never)),
  );
};

/** The tables of a witness, in which the record in question is unless it is about to be stored, or deleted. */
export const witnessTables = (
  { related, record }: Pick<Witness, 'related' | 'record'>,
  { model, action }: Pick<Small, 'model' | 'action'>,
): SmallWorld['tables'] => {
  const isChanged = related.some((each) => each.model === model && each.record['id'] === record['id']);
  const isStored = action !== 'create' && action !== 'manage' && !isChanged;
  const tables: Record<string, PlainValues[]> = { [model]: isStored ? [record] : [] };
  // A deleted card goes on referring to what was there.
  if (action === 'manage') tables['kept Board'] = [];
  for (const each of related) {
    const of = each.kept ? `kept ${each.model}` : each.model;
    tables[of] ??= [];
    tables[of]?.push(each.record);
  }
  return tables;
};

/** The reason why no database of these shapes would keep a world; undefined if it would. */
export const illegalIn = (tables: SmallWorld['tables'], shapes: Shapes): string | undefined => {
  for (const [model, rows] of Object.entries(tables)) {
    const shape = shapes.get(model.replace('kept ', ''));
    if (shape === undefined) return `no model ${model}`;
    if (!isUnique(rows, { ...shape, unique: [...shape.unique, ['id']] })) return `${model} is not unique`;
    for (const row of rows)
      for (const [name, value] of Object.entries(row)) {
        const field = shape.fields.get(name);
        if (field === undefined) return `${model} has no ${name}`;
        if (field.required && (value === null || value === undefined)) return `${model}.${name} is null`;
        if (value !== null && value !== undefined && field.values?.includes(value) === false)
          return `${model}.${name} is ${value}`;
        const { reference = '' } = field;
        const named = (tables[`kept ${reference}`] ?? tables[reference] ?? []).find(
          (each) => each['id'] === value,
        );
        if (field.same !== undefined && named !== undefined && named[field.same] !== row[field.same])
          return `${model}.${name} is of another ${field.same}`;
      }
  }
  return undefined;
};

/** A random condition on cards, boards or seats. */
export const someCondition = (
  random: Random,
  small: Pick<Small, 'ofBoards'>,
  model: string,
  depth: number,
): RowExpression => {
  if (depth > 1 && random.chance(0.65)) {
    const kind = random.pick(['anyOf', 'allOf', 'anyOf', 'allOf', 'via'] as const);
    if (kind === 'via' && model === 'Card')
      return {
        kind,
        column: 'board_id',
        model: 'Board',
        stored: stored('boards'),
        rule: someCondition(random, small, 'Board', depth - 1),
      };
    if (kind !== 'via') {
      const rules = Array.from({ length: 1 + random.below(3) }, () =>
        someCondition(random, small, model, depth - 1),
      );
      return { kind, rules };
    }
  }
  const equal = (column: string, value: string | boolean | number): RowExpression => ({
    kind: 'equals',
    column,
    value,
    said: String(value),
  });
  const member = (): RowExpression => {
    const isBoard = small.ofBoards && random.chance(0.4);
    const roles = random.pick([['x'], ['y'], ['x', 'y']]);
    const open = random.pick([[true], [false], [true, false]]);
    const demanded = isBoard
      ? { column: 'open', values: open, said: [] }
      : { column: 'role', values: roles, said: [] };
    return {
      kind: 'member',
      column: 'team_id',
      model: isBoard ? 'Board' : 'Seat',
      stored: stored(isBoard ? 'boards' : 'seats'),
      on: 'team_id',
      owner: 'user_id',
      where: random.chance(0.5) ? [] : [demanded],
    };
  };
  const makers: Readonly<Record<string, readonly (() => RowExpression)[]>> = {
    Card: [
      () => equal('state', random.pick(['a', 'b'])),
      () => equal('flag', random.chance(0.5)),
      () => equal('team_id', 10),
      () => equal('user_id', random.pick([1, 2])),
    ],
    Board: [() => equal('open', random.chance(0.5)), () => equal('team_id', 10)],
    Seat: [() => equal('role', random.pick(['x', 'y'])), () => equal('team_id', 10)],
  };
  const made = random.pick([
    member,
    member,
    (): RowExpression => ({ kind: 'own', column: 'user_id' }),
    ...(makers[model] ?? []),
  ]);
  return made();
};

/** A condition that is another one with a small change, as an edit of a model file makes it. */
export const edited = (
  random: Random,
  small: Pick<Small, 'ofBoards'>,
  expression: RowExpression,
  model: string,
): RowExpression => {
  if ('rules' in expression) {
    const at = random.below(expression.rules.length);
    const rules = expression.rules.map((rule, index) =>
      index === at ? edited(random, small, rule, model) : rule,
    );
    if (random.chance(0.3))
      return { ...expression, rules: [...rules, someCondition(random, small, model, 1)] };
    if (random.chance(0.2) && rules.length > 1) return { ...expression, rules: rules.slice(1) };
    if (random.chance(0.2)) return { ...expression, rules: rules.toReversed() };
    return { ...expression, rules };
  }
  if (expression.kind === 'via')
    return { ...expression, rule: edited(random, small, expression.rule, 'Board') };
  return random.chance(0.5) ? expression : someCondition(random, small, model, 2);
};
