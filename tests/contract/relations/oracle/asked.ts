import type { FilterOperator } from '../../../../src/fields/field.ts';
import { compareIds, type Id, idAt, missing } from '../../resources/row-rules/ids.ts';
import type { Random } from '../../resources/row-rules/random.ts';
import { comparedAs, compareValues, kinds, type Value } from '../../resources/row-rules/values.ts';
import { type FieldKind, operatorsOf, type TargetPlan, userPlan } from './plan.ts';
import { follow, type Plain, type Reader, reached, Unanswerable } from './policy.ts';

/** Random parts of a request, as its query has them and as plain JavaScript computes them. */

export type Parameter = readonly [string, string];

/** Relations that are asked for, with those behind them. */
interface Named {
  readonly fields: string[] | undefined;
  readonly behind: Tree;
}
export type Tree = Map<string, Named>;

export interface FilterAsked {
  readonly path: readonly string[];
  readonly field: string;
  readonly operator: FilterOperator;
  readonly operand: Value | readonly Value[];
}

export interface SortAsked {
  readonly path: readonly string[];
  readonly field: string;
  readonly descending: boolean;
}

const planOf = (reader: Reader, name: string): TargetPlan =>
  name === 'User' ? userPlan : reader.planOf(name);

const strangers = ['nothing', 'constructor', '__proto__'] as const;

/** A name that no relation has. */
const slip = (random: Random): string => random.pick([...strangers, 'id', 'select']);

/** A relation that leads somewhere; now and then any of them, or none. */
const someRelation = (random: Random, reader: Reader, plan: TargetPlan, known: readonly string[]): string => {
  if (random.chance(0.01)) return slip(random);
  const legal = plan.relations.filter(({ name }) => {
    try {
      return follow(reader, plan, known, name).relation.name === name;
    } catch (error) {
      if (error instanceof Unanswerable) return false;
      throw error;
    }
  });
  const from = legal.length === 0 || random.chance(0.04) ? plan.relations : legal;
  return from.length === 0 ? slip(random) : random.pick(from).name;
};

const somePath = (
  random: Random,
  reader: Reader,
  plan: TargetPlan,
  known: readonly string[],
  steps: number,
  one = false,
): readonly string[] => {
  const path: string[] = [];
  let [at, fields] = [plan, known];
  for (let step = 0; step < steps && at.relations.length > 0; step += 1) {
    const name = someRelation(random, reader, at, fields);
    const relation = at.relations.find((each) => each.name === name);
    if (one && relation?.many !== false) break;
    path.push(name);
    if (relation === undefined) break;
    at = planOf(reader, relation.to);
    fields = reader.at(relation)?.detail ?? [];
  }
  return path;
};

interface Place {
  readonly path: readonly string[];
  readonly target: TargetPlan;
  readonly readable: readonly string[];
}

/** The end of a path, without asking who may follow it; undefined where it leads nowhere. */
const endOf = (
  reader: Reader,
  plan: TargetPlan,
  path: readonly string[],
  view: readonly string[],
): Place | undefined => {
  let end: Place = { path, target: plan, readable: view };
  for (const name of path) {
    const relation = end.target.relations.find((each) => each.name === name);
    if (relation === undefined) return undefined;
    end = { path, target: planOf(reader, relation.to), readable: reader.at(relation)?.detail ?? [] };
  }
  return end;
};

/** A tree of includes, and the parameters that ask for it. */
export const someIncludes = (
  random: Random,
  reader: Reader,
  plan: TargetPlan,
  known: readonly string[],
): { readonly tree: Tree; readonly parameters: readonly Parameter[] } => {
  const tree: Tree = new Map();
  const texts = new Set<string>();
  const chosen: Parameter[] = [];
  const count = 1 + random.below(4);
  let relations = 0;
  for (let nth = 0; nth < count; nth += 1) {
    const path = somePath(random, reader, plan, known, 1 + random.below(3));
    relations += path.length;
    // More than ten are refused.
    if (path.length > 0 && relations <= 10) texts.add(path.join('.'));
  }
  for (const text of texts) {
    let at = tree;
    const path = text.split('.');
    for (const [depth, name] of path.entries()) {
      const till = path.slice(0, depth + 1);
      const made = at.get(name);
      const fields = made === undefined ? someFields(random, reader, plan, till) : made.fields;
      if (made === undefined && fields !== undefined)
        chosen.push([`fields[${till.join('.')}]`, fields.join(',')]);
      const next = made ?? { fields, behind: new Map() };
      at.set(name, next);
      at = next.behind;
    }
  }
  if (texts.size === 0) return { tree, parameters: [] };
  return { tree, parameters: random.some<Parameter>([['include', [...texts].join(',')], ...chosen], 1) };
};

const someFields = (random: Random, reader: Reader, plan: TargetPlan, path: readonly string[]) => {
  const end = endOf(reader, plan, path, []);
  if (end === undefined || random.chance(0.6)) return undefined;
  const all = random.chance(0.03) ? end.target.all.map(({ name }) => name) : end.readable;
  return all.length === 0 ? undefined : random.some(all, 0.4, 1);
};

const texts = ["'", 'a', 'A', '%', 'É', 'é', '\\', '日', 'user', '_'] as const;

const someOperand = (
  random: Random,
  { name, kind, key = 'integer' }: FieldKind,
  operator: FilterOperator,
  rows: readonly Plain[],
): FilterAsked['operand'] => {
  if (operator === 'null') return random.chance(0.5);
  const held = rows
    // Each role of a user is a value.
    .flatMap((row) => (Object.hasOwn(row, name) ? row[name] : null))
    .filter((value) => value !== null && value !== undefined) as Value[];
  const ids: readonly Id[] = key === 'integer' ? [1, 2, 5] : [idAt(key, 1) ?? missing[key], missing[key]];
  const fitting: readonly Value[] = kind === 'reference' || kind === 'id' ? ids : kinds[kind].values;
  const value = held.length > 0 && random.chance(0.8) ? random.pick(held) : random.pick(fitting);
  if (operator === 'like' || operator === 'starts_with') {
    const text = [...String(value)];
    const start = operator === 'like' ? random.below(text.length) : 0;
    return random.chance(0.3) ? random.pick(texts) : text.slice(start, start + 1 + random.below(3)).join('');
  }
  if (operator === 'in') return [value, ...random.some(held, 0.2)];
  return value;
};

/** A field that is read; now and then one that is not, or none. */
const someField = (random: Random, target: TargetPlan, readable: readonly string[]): FieldKind => {
  const fields = target.all.filter(({ name }) => readable.includes(name) && name !== 'roles');
  const from = random.chance(0.03) || fields.length === 0 ? target.all : fields;
  return random.chance(0.01) ? { name: random.pick(strangers), kind: 'string' } : random.pick(from);
};

const somePlace = (
  random: Random,
  reader: Reader,
  plan: TargetPlan,
  views: { readonly view: readonly string[]; readonly known: readonly string[] },
  one = false,
): Place => {
  const path = somePath(random, reader, plan, views.known, random.below(4), one);
  return endOf(reader, plan, path, views.view) ?? { path, target: plan, readable: views.known };
};

export const someFilter = (
  random: Random,
  reader: Reader,
  plan: TargetPlan,
  views: { readonly view: readonly string[]; readonly known: readonly string[] },
): FilterAsked => {
  const { path, target, readable } = somePlace(random, reader, plan, views);
  const field = someField(random, target, readable);
  const operator = random.pick(operatorsOf(field.kind));
  const rows = target.name === 'User' ? reader.data.persons : reader.data.state.rows(target.name);
  return { path, field: field.name, operator, operand: someOperand(random, field, operator, rows) };
};

export const someSort = (
  random: Random,
  reader: Reader,
  plan: TargetPlan,
  views: { readonly view: readonly string[]; readonly known: readonly string[] },
): readonly SortAsked[] => {
  const terms = new Map<string, SortAsked>();
  const count = random.below(3);
  for (let nth = 0; nth < count; nth += 1) {
    const { path, target, readable } = somePlace(random, reader, plan, views, true);
    const { name: field } = someField(random, target, readable);
    terms.set([...path, field].join('.'), { path, field, descending: random.chance(0.5) });
  }
  return [...terms.values()];
};

const escaped = (value: Value): string => String(value).replace(/[\\,]/g, '\\$&');

export const filterParameter = ({ path, field, operator, operand }: FilterAsked): Parameter => {
  const name = `filter[${[...path, field].join('.')}]`;
  const text = Array.isArray(operand) ? operand.map(escaped).join(',') : String(operand);
  return [operator === 'eq' ? name : `${name}[${operator}]`, text];
};

export const sortText = ({ path, field, descending }: SortAsked): string =>
  `${descending ? '-' : ''}${[...path, field].join('.')}`;

const folded = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** True if a value meets a filter. */
const meets = (
  kind: ReturnType<typeof comparedAs>,
  value: Value,
  { operator, operand }: FilterAsked,
): boolean => {
  if (operator === 'null') return (value === null) === operand;
  if (operator === 'ne') return value !== operand;
  if (value === null) return false;
  if (operator === 'eq') return value === operand;
  if (Array.isArray(operand)) return operand.includes(value);
  const single = operand as Value;
  if (operator === 'like') return folded(String(value)).includes(folded(String(single)));
  if (operator === 'starts_with') return String(value).startsWith(String(single));
  const order = compareValues(kind, value, single);
  return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[operator as 'gt'];
};

/** A check of the rows of a model by a field to which a path leads. @throws Unanswerable */
const behind = (
  reader: Reader,
  plan: TargetPlan,
  path: readonly string[],
  field: string,
  views: { readonly view: readonly string[]; readonly known: readonly string[] },
) => {
  let [at, known] = [plan, views.known];
  const relations = path.map((name) => {
    const { relation, read } = follow(reader, at, known, name);
    [at, known] = [read.plan, read.detail];
    return relation;
  });
  const readable = path.length === 0 ? views.view : known;
  const found = at.all.find(({ name }) => name === field);
  if (found === undefined || !readable.includes(field)) throw new Unanswerable(400);
  if (at.name === 'User' && field === 'roles') throw new Unanswerable(400);
  return { relations, kind: comparedAs(found) };
};

/** True if a row meets a filter: a record that has none counts as having one whose every field is null. */
export const matcher = (
  reader: Reader,
  plan: TargetPlan,
  asked: FilterAsked,
  views: { readonly view: readonly string[]; readonly known: readonly string[] },
): ((row: Plain) => boolean) => {
  const { relations, kind } = behind(reader, plan, asked.path, asked.field, views);
  const holds = (row: Plain | null, step: number): boolean => {
    const relation = relations[step];
    if (relation === undefined) return meets(kind, (row?.[asked.field] ?? null) as Value, asked);
    const ends = row === null ? [] : reached(reader, relation, row);
    return ends.length === 0 ? holds(null, step + 1) : ends.some((end) => holds(end, step + 1));
  };
  return (row) => holds(row, 0);
};

/** The order of rows: nulls first ascending, ties by id. */
export const sorter = (
  reader: Reader,
  plan: TargetPlan,
  asked: readonly SortAsked[],
  views: { readonly view: readonly string[]; readonly known: readonly string[] },
): ((a: Plain, b: Plain) => number) => {
  const terms = asked.map((term) => {
    const { relations, kind } = behind(reader, plan, term.path, term.field, views);
    if (relations.some(({ many }) => many)) throw new Unanswerable(400);
    const value = (row: Plain): Value => {
      let at: Plain | undefined = row;
      for (const relation of relations) at = at && reached(reader, relation, at)[0];
      return (at?.[term.field] ?? null) as Value;
    };
    return { value, kind, descending: term.descending };
  });
  return (a, b) => {
    for (const { value, kind, descending } of terms) {
      const order = compareValues(kind, value(a), value(b));
      if (order !== 0) return descending ? -order : order;
    }
    return compareIds(plan.key ?? 'integer', a['id'] as Id, b['id'] as Id);
  };
};

/** A record with what is included. @throws Unanswerable */
export const renderer = (
  reader: Reader,
  plan: TargetPlan,
  fields: readonly string[],
  known: readonly string[],
  tree: Tree,
): ((row: Plain) => Plain) => {
  // 403 comes before 400, in whatever order they are named.
  const unusable: Unanswerable[] = [];
  const include = (name: string, { fields: chosen, behind: rest }: Named) => {
    const { relation, read } = follow(reader, plan, known, name);
    // Chosen ones stand in the order of the model, those of a view in that of the view.
    const ordered = chosen && read.plan.all.map((each) => each.name).filter((each) => chosen.includes(each));
    const render = renderer(reader, read.plan, ordered ?? read.list, read.detail, rest);
    if (chosen?.some((field) => !read.detail.includes(field))) throw new Unanswerable(400);
    return (row: Plain): readonly [string, unknown] => {
      const ends = reached(reader, relation, row).map(render);
      return [name, relation.many ? ends : (ends[0] ?? null)];
    };
  };
  const included = [...tree].flatMap(([name, named]) => {
    try {
      return [include(name, named)];
    } catch (error) {
      if (!(error instanceof Unanswerable) || error.status !== 400) throw error;
      unusable.push(error);
      return [];
    }
  });
  const [first] = unusable;
  if (first !== undefined) throw first;
  return (row) =>
    Object.fromEntries([
      ...fields.filter((field) => Object.hasOwn(row, field)).map((field) => [field, row[field]] as const),
      ...included.map((each) => each(row)),
    ]);
};
