import type { Database, SqlValue } from '../../../../src/store/database.ts';
import { dialectOf } from '../../../../src/store/dialects/registry.ts';
import { all, name, sql, statement } from '../../../../src/store/statement.ts';
import type { World } from './oracle.ts';
import type { FieldPlan, ModelPlan, Row } from './plan.ts';
import type { Random } from './random.ts';
import { kinds, someValue, type Value } from './values.ts';

const born = '2024-01-01T00:00:00.000Z';

/** A value as its column takes it, without the service: a decimal is a whole number of hundredths. */
const columnValue = ({ kind }: FieldPlan, value: Value): SqlValue =>
  kind === 'decimal' && value !== null ? Math.round(Number(value) * 100) : value;

/** Writes rows past the service, and remembers them. */
const insert = async (database: Database, { state }: World, plan: ModelPlan, rows: readonly Row[]) => {
  const columns = [...plan.fields.map((field) => field.name), 'created_at', 'updated_at'];
  const add = statement<{ values: readonly SqlValue[] }>(dialectOf(database), (argument) => {
    const tuples = rows.map((_, row) => {
      const places = columns.map((_, column) => argument('values', row * columns.length + column));
      return sql`(${all(places)})`;
    });
    return sql`insert into ${name(plan.path)} (${all(columns.map((each) => name(each)))}) values ${all(tuples)}`;
  });
  const values = rows.flatMap((row) => [
    ...plan.fields.map((field) => columnValue(field, row[field.name] ?? null)),
    born,
    born,
  ]);
  await database.execute(add({ values }));
  const table = state.table(plan.name);
  for (const row of rows) {
    const id = table.size + 1;
    table.set(id, { row: { id, ...row }, version: 1 });
  }
};

const someRow = (random: Random, { state, users }: World, plan: ModelPlan): Row =>
  Object.fromEntries(
    plan.fields.map(({ name: field, kind, to = '', required }) => {
      if (kind !== 'reference') return [field, someValue(random, kind, !required)];
      const ids = to === 'User' ? users : [...state.table(to).keys()];
      const isNull = ids.length === 0 || (!required && random.chance(0.15));
      return [field, isNull ? null : random.pick(ids)];
    }),
  );

/** Random rows for every model of a world; those that refer to their own model come in two lots. */
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

/** What a table differs in from what it must hold; empty where it does not. */
export const tableFaults = async (
  database: Database,
  { state }: World,
  plan: ModelPlan,
): Promise<string[]> => {
  const table = state.table(plan.name);
  const stored = await database.all<Record<string, unknown>>({
    sql: `select * from "${plan.path}" order by id`,
    parameters: [],
  });
  const faults = stored.flatMap((each) => {
    const id = Number(each['id']);
    const kept = table.get(id);
    if (kept === undefined) return [`${plan.name} ${id} is there`];
    const wrong = plan.fields.filter(({ name: field, kind }) => {
      const value = each[field] ?? null;
      const read = kind === 'reference' ? Number : kinds[kind].stored;
      return (value === null ? null : read(value)) !== (kept.row[field] ?? null);
    });
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
