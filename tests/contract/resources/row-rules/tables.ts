import type { Database, SqlValue } from '../../../../src/database/database.ts';
import { identifier, join, sql, statement } from '../../../../src/database/statement.ts';
import { type Id, idAt, storedId } from './ids.ts';
import type { World } from './oracle.ts';
import { type FieldPlan, idOf, type ModelPlan, type Row } from './plan.ts';
import type { Random } from './random.ts';
import { kinds, someValue, type Value } from './values.ts';

const born = '2024-01-01T00:00:00.000Z';

/** A value as its column takes it, without the service: a decimal is a whole number of hundredths. */
const columnValue = ({ kind }: FieldPlan, value: Value): SqlValue =>
  kind === 'decimal' && value !== null ? Math.round(Number(value) * 100) : value;

const written = ({ fields }: ModelPlan) => [...fields.map((field) => field.name), 'created_at', 'updated_at'];

const valuesOf = ({ fields }: ModelPlan, row: Row): SqlValue[] => [
  ...fields.map((field) => columnValue(field, row[field.name] ?? null)),
  born,
  born,
];

/** Writes rows past the service, those with an id under it; returns their ids. */
export const insertRows = async (
  database: Database,
  plan: ModelPlan,
  rows: readonly Row[],
): Promise<readonly Id[]> => {
  const given = rows.some((row) => 'id' in row) ? ['id'] : [];
  const columns = [...given, ...written(plan)];
  const add = statement<{ values: readonly SqlValue[] }>(database.dialect, (param) => {
    const tuples = rows.map((_, row) => {
      const places = columns.map((_, column) => param('values', row * columns.length + column));
      return sql`(${join(places)})`;
    });
    const into = sql`insert into ${identifier(plan.path)} (${join(columns.map((each) => identifier(each)))})`;
    return sql`${into} values ${join(tuples)} returning cast(id as text) as id`;
  });
  const valuesWithId = (row: Row) => [...given.map((name) => row[name] ?? null), ...valuesOf(plan, row)];
  const added = await database.execute<{ id: string }>(add({ values: rows.flatMap(valuesWithId) }));
  return added.map(({ id }) => storedId(plan.key, id));
};

/** Puts a row into the place of the one with its id, past the service. */
export const putRow = async (
  database: Database,
  plan: ModelPlan,
  row: Row,
  version: number,
): Promise<void> => {
  type Arguments = { values: readonly SqlValue[]; id: Id; version: number };
  const put = statement<Arguments>(database.dialect, (param) => {
    const sets = written(plan).map((each, index) => sql`${identifier(each)} = ${param('values', index)}`);
    const changes = join([...sets, sql`version = ${param('version')}`]);
    return sql`update ${identifier(plan.path)} set ${changes} where id = ${param('id')}`;
  });
  await database.execute(put({ values: valuesOf(plan, row), id: idOf(row), version }));
};

/** Sets some values of a row, and nothing else of it, past the service. */
export const putValues = async (database: Database, plan: ModelPlan, id: Id, values: Row): Promise<void> => {
  const fields = plan.fields.filter(({ name }) => Object.hasOwn(values, name));
  const put = statement<{ values: readonly SqlValue[]; id: Id }>(database.dialect, (param) => {
    const sets = fields.map(({ name }, index) => sql`${identifier(name)} = ${param('values', index)}`);
    return sql`update ${identifier(plan.path)} set ${join(sets)} where id = ${param('id')}`;
  });
  await database.execute(
    put({ values: fields.map((field) => columnValue(field, values[field.name] ?? null)), id }),
  );
};

/** Takes a row away, past the service. */
export const deleteRow = async (database: Database, plan: ModelPlan, id: Id): Promise<void> => {
  const take = statement<{ id: Id }>(
    database.dialect,
    (param) => sql`delete from ${identifier(plan.path)} where id = ${param('id')}`,
  );
  await database.execute(take({ id }));
};

/** Writes rows past the service, and remembers them. */
const insert = async (database: Database, { state }: World, plan: ModelPlan, rows: readonly Row[]) => {
  const first = state.table(plan.name).size;
  const named = rows.map((row, index): Row => {
    const id = idAt(plan.key, first + index);
    return id === undefined ? row : { id, ...row };
  });
  const ids = await insertRows(database, plan, named);
  for (const [index, row] of rows.entries()) {
    const id = ids[index] ?? 0;
    state.table(plan.name).set(id, { row: { id, ...row }, version: 1 });
  }
};

export const someRow = (random: Random, { state, users }: World, plan: ModelPlan): Row =>
  Object.fromEntries(
    plan.fields.map(({ name: field, kind, to = '', required }) => {
      if (kind !== 'reference') return [field, someValue(random, kind, !required)];
      const ids = to === 'User' ? users : [...state.table(to).keys()];
      const isNull = ids.length === 0 || (!required && random.chance(0.15));
      return [field, isNull ? null : random.pick(ids)];
    }),
  );

/** Random rows for every model of a world; rows that refer to their own model come in two lots. */
export const seed = async (random: Random, database: Database, world: World): Promise<void> => {
  for (const plan of world.models)
    for (const count of [4, 3 + random.below(5)])
      await insert(
        database,
        world,
        plan,
        Array.from({ length: count }, () => someRow(random, world, plan)),
      );
};

/** The fields in which a stored row differs from what it must hold. */
const differing = ({ fields }: ModelPlan, stored: Readonly<Record<string, unknown>>, row: Row) =>
  fields.filter(({ name: field, kind, key = 'integer' }) => {
    const value = stored[field] ?? null;
    const read = (each: unknown): Value =>
      kind === 'reference' ? storedId(key, each) : kinds[kind].stored(each);
    return (value === null ? null : read(value)) !== (row[field] ?? null);
  });

/** Ids are read as texts: no driver makes a double of them. */
const storedRows = (database: Database, { path, fields }: ModelPlan) => {
  const ids = ['id', ...fields.flatMap(({ name, kind }) => (kind === 'reference' ? [name] : []))];
  const texts = ids.map((name) => `cast("${name}" as text) as "${name}"`);
  const others = fields.flatMap(({ name, kind }) => (kind === 'reference' ? [] : [`"${name}"`]));
  const columns = [...texts, ...others, 'version'].join(', ');
  return database.all<Record<string, unknown>>({
    sql: `select ${columns} from "${path}" order by "${path}".id`,
    parameters: [],
  });
};

/** The ids of rows that were added, each found by what it holds: they may have been added in another order. */
export const idsOfAdded = async (
  database: Database,
  { state }: World,
  plan: ModelPlan,
  rows: readonly Row[],
): Promise<readonly Id[]> => {
  const added = await storedRows(database, plan);
  const fresh = new Map(added.map((each) => [storedId(plan.key, each['id']), each]));
  for (const id of state.table(plan.name).keys()) fresh.delete(id);
  return rows.map((row) => {
    const isIt = ([id, stored]: readonly [Id, Readonly<Record<string, unknown>>]) =>
      (plan.key !== 'text' || id === row['id']) && differing(plan, stored, row).length === 0;
    const [id = 0] = [...fresh].find(isIt) ?? [];
    fresh.delete(id);
    return id;
  });
};

/**
 * The version with which a record began whose id a caller gave; a fault if it is no higher than every version that a
 * record with this id had before. Undefined where versions begin with 1.
 */
export const firstVersion = async (
  { database, state, faults }: World & { readonly database: Database; readonly faults: string[] },
  plan: ModelPlan,
  id: Id,
): Promise<number | undefined> => {
  if (plan.key !== 'text') return undefined;
  const row = (await storedRows(database, plan)).find((each) => each['id'] === id);
  const version = Number(row?.['version']);
  const former = state.past.filter((each) => each.model === plan.name && each.id === id);
  const isLater = former.every((each) => each.version < version);
  if (!isLater || !Number.isSafeInteger(version)) faults.push(`${plan.name} ${id} begins at ${version}`);
  return version;
};

/** The differences between a table and its expected rows; empty when there are none. */
export const tableFaults = async (
  database: Database,
  { state }: World,
  plan: ModelPlan,
): Promise<string[]> => {
  const table = state.table(plan.name);
  const stored = await storedRows(database, plan);
  const faults = stored.flatMap((each) => {
    const id = storedId(plan.key, each['id']);
    const kept = table.get(id);
    if (kept === undefined) return [`${plan.name} ${id} is there`];
    const wrong = differing(plan, each, kept.row);
    if (Number(each['version']) !== kept.version)
      return [`${plan.name} ${id} has version ${each['version']}, not ${kept.version}`];
    return wrong.map(
      ({ name: field }) => `${plan.name} ${id}: ${field} is ${each[field]}, not ${kept.row[field]}`,
    );
  });
  return stored.length === table.size
    ? faults
    : [...faults, `${plan.name}: ${stored.length} rows, not ${table.size}`];
};
