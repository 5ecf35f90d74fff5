import type { Database, SqlValue } from '../../../../src/database/database.ts';
import { identifier, join, sql, statement } from '../../../../src/database/statement.ts';
import type { World } from './oracle.ts';
import type { FieldPlan, ModelPlan, Row } from './plan.ts';
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

/** Writes rows past the service; returns their ids. */
export const insertRows = async (
  database: Database,
  plan: ModelPlan,
  rows: readonly Row[],
): Promise<readonly number[]> => {
  const columns = written(plan);
  const add = statement<{ values: readonly SqlValue[] }>(database.dialect, (param) => {
    const tuples = rows.map((_, row) => {
      const places = columns.map((_, column) => param('values', row * columns.length + column));
      return sql`(${join(places)})`;
    });
    const into = sql`insert into ${identifier(plan.path)} (${join(columns.map((each) => identifier(each)))})`;
    return sql`${into} values ${join(tuples)} returning id`;
  });
  const added = await database.execute<{ id: number }>(
    add({ values: rows.flatMap((row) => valuesOf(plan, row)) }),
  );
  return added.map(({ id }) => Number(id));
};

/** Puts a row into the place of the one with its id, past the service. */
export const putRow = async (
  database: Database,
  plan: ModelPlan,
  row: Row,
  version: number,
): Promise<void> => {
  type Arguments = { values: readonly SqlValue[]; id: number; version: number };
  const put = statement<Arguments>(database.dialect, (param) => {
    const sets = written(plan).map((each, index) => sql`${identifier(each)} = ${param('values', index)}`);
    const changes = join([...sets, sql`version = ${param('version')}`]);
    return sql`update ${identifier(plan.path)} set ${changes} where id = ${param('id')}`;
  });
  await database.execute(put({ values: valuesOf(plan, row), id: Number(row['id']), version }));
};

/** Sets some values of a row, and nothing else of it, past the service. */
export const putValues = async (
  database: Database,
  plan: ModelPlan,
  id: number,
  values: Row,
): Promise<void> => {
  const fields = plan.fields.filter(({ name }) => Object.hasOwn(values, name));
  const put = statement<{ values: readonly SqlValue[]; id: number }>(database.dialect, (param) => {
    const sets = fields.map(({ name }, index) => sql`${identifier(name)} = ${param('values', index)}`);
    return sql`update ${identifier(plan.path)} set ${join(sets)} where id = ${param('id')}`;
  });
  await database.execute(
    put({ values: fields.map((field) => columnValue(field, values[field.name] ?? null)), id }),
  );
};

/** Takes a row away, past the service. */
export const deleteRow = async (database: Database, plan: ModelPlan, id: number): Promise<void> => {
  const take = statement<{ id: number }>(
    database.dialect,
    (param) => sql`delete from ${identifier(plan.path)} where id = ${param('id')}`,
  );
  await database.execute(take({ id }));
};

/** Writes rows past the service, and remembers them. */
const insert = async (database: Database, { state }: World, plan: ModelPlan, rows: readonly Row[]) => {
  const ids = await insertRows(database, plan, rows);
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
  fields.filter(({ name: field, kind }) => {
    const value = stored[field] ?? null;
    const read = kind === 'reference' ? Number : kinds[kind].stored;
    return (value === null ? null : read(value)) !== (row[field] ?? null);
  });

const storedRows = (database: Database, { path }: ModelPlan) =>
  database.all<Record<string, unknown>>({ sql: `select * from "${path}" order by id`, parameters: [] });

/** The ids of rows that were added, each found by what it holds: they may have been added in another order. */
export const idsOfAdded = async (
  database: Database,
  { state }: World,
  plan: ModelPlan,
  rows: readonly Row[],
): Promise<readonly number[]> => {
  const added = await storedRows(database, plan);
  const fresh = new Map(added.map((each) => [Number(each['id']), each]));
  for (const id of state.table(plan.name).keys()) fresh.delete(id);
  return rows.map((row) => {
    const [id = 0] = [...fresh].find(([, stored]) => differing(plan, stored, row).length === 0) ?? [];
    fresh.delete(id);
    return id;
  });
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
    const id = Number(each['id']);
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
