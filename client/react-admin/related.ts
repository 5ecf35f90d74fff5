import type { PlainParameters } from '../query.ts';
import type { ResourceRelation } from '../shape.ts';

/** The relations that a provider handles: those that react-admin's `meta` asks for and its forms send. */

type Fields = Readonly<Record<string, unknown>>;
type Relations = Readonly<Record<string, ResourceRelation>>;

/** The relations of a resource, by its name. */
export type RelationsOf = (resource: string) => Promise<Relations>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const namesIn = (meta: unknown, key: string): readonly string[] => {
  const names = isObject(meta) ? meta[key] : undefined;
  if (names === undefined) return [];
  const list: readonly unknown[] = Array.isArray(names) ? names : [names];
  for (const name of list)
    if (typeof name !== 'string' || name === '') throw new TypeError(`meta.${key} takes names of relations`);
  return list as readonly string[];
};

/** The parts of a request beside its records, by react-admin's conventions. */
export interface Asked {
  /** For `listQuery`. */
  readonly include: Readonly<Record<string, true | readonly string[]>>;
  /** Relations whose records are not in the answer, but given to react-admin for later. */
  readonly prefetch: readonly string[];
  readonly total: PlainParameters['total'];
}

const totals = ['exact', 'estimate', 'none'] as const;

const totalIn = (meta: unknown): PlainParameters['total'] => {
  const given = isObject(meta) ? meta['total'] : undefined;
  const total = totals.find((each) => each === given);
  if (given !== undefined && total === undefined)
    throw new TypeError(`meta.total takes ${totals.join(', ')}`);
  return total;
};

/** A row without its id would be created again on the next save. */
const withIds = (include: Fields): Readonly<Record<string, true | readonly string[]>> =>
  Object.fromEntries(
    Object.entries(include).map(([path, fields]) => {
      if (fields === true) return [path, fields];
      if (!Array.isArray(fields))
        throw new TypeError(`meta.include.${path} must be true, or a list of fields`);
      return [path, [...new Set(['id', ...fields])]];
    }),
  );

/**
 * Reads `meta.embed` (or `meta.include`, which may select fields as the client does), `meta.prefetch` and `meta.total`.
 * @throws TypeError for invalid names
 */
export const askedBy = (meta: unknown): Asked => {
  const prefetch = namesIn(meta, 'prefetch');
  const embed = namesIn(meta, 'embed');
  const given = isObject(meta) ? meta['include'] : undefined;
  const include = isObject(given)
    ? withIds(given)
    : Object.fromEntries(namesIn(meta, 'include').map((path) => [path, true as const]));
  const named = Object.fromEntries([...embed, ...prefetch].map((path) => [path, true as const]));
  const hidden = prefetch.filter((name) => !embed.includes(name) && !Object.hasOwn(include, name));
  for (const name of prefetch)
    if (name.includes('.'))
      throw new TypeError(`meta.prefetch: ${name} is not a relation of the record itself`);
  return { include: { ...named, ...include }, prefetch: hidden, total: totalIn(meta) };
};

/** Records without those that are prefetched, and these by their resources, each once. */
export const splitPrefetched = <Item extends Fields>(
  records: readonly Item[],
  { prefetch }: Asked,
  relations: Relations,
): { readonly data: Item[]; readonly meta?: { readonly prefetched: Readonly<Record<string, Fields[]>> } } => {
  if (prefetch.length === 0) return { data: [...records] };
  const found: Record<string, Map<unknown, Fields>> = {};
  const data = records.map((record) => {
    const rest: Record<string, unknown> = { ...record };
    for (const name of prefetch) {
      const resource = relations[name]?.resource;
      if (resource === undefined) throw new TypeError(`meta.prefetch: it is not known what ${name} leads to`);
      const known = found[resource] ?? new Map();
      found[resource] = known;
      for (const each of [rest[name]].flat()) if (isObject(each)) known.set(each['id'], each);
      delete rest[name];
    }
    return rest as Item;
  });
  const prefetched = Object.fromEntries(
    Object.entries(found).map(([name, all]) => [name, [...all.values()]]),
  );
  return { data, meta: { prefetched } };
};

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const rowsIn = (value: unknown): readonly Fields[] | undefined =>
  Array.isArray(value) && value.every(isObject) ? value : undefined;

/** The position of an item's row in the form. */
const places = new WeakMap<object, number>();

/**
 * The form's name of a field in a violation: unchanged rows were not sent, so positions differ. Violations of a row
 * that the form no longer has belong to the list.
 */
export const placeInForm = (sent: Fields, name: string): string => {
  const parts: (string | number)[] = [];
  let at: unknown = sent;
  for (const part of name.split('.')) {
    const item: unknown = isObject(at) || Array.isArray(at) ? Reflect.get(at, part) : undefined;
    const isRow = Array.isArray(at) && isObject(item);
    const place = isRow ? places.get(item) : part;
    if (place === undefined) break;
    parts.push(place);
    at = item;
  }
  return parts.join('.');
};

/**
 * The rows of a form's list in a body: new ones, changed ones with their changes, and as `_delete` those that the
 * form no longer has. A list that was not shown before deletes nothing.
 */
const itemsOf = async (
  rows: readonly Fields[],
  before: readonly Fields[],
  relation: ResourceRelation,
  relationsOf: RelationsOf,
): Promise<readonly Fields[]> => {
  const within = await relationsOf(relation.resource);
  const known = new Map(before.map((row) => [row['id'], row]));
  const items: Fields[] = [];
  for (const [index, { id, ...row }] of rows.entries()) {
    const isNew = id === undefined || id === null;
    const changes = await changedFields(row, isNew ? {} : (known.get(id) ?? {}), within, relationsOf);
    if (!isNew && known.has(id) && Object.keys(changes).length === 0) continue;
    const item = isNew ? changes : { id, ...changes };
    places.set(item, index);
    items.push(item);
  }
  const kept = new Set(rows.map(({ id }) => id));
  for (const { id } of before) if (id !== undefined && !kept.has(id)) items.push({ id, _delete: true });
  return items;
};

/**
 * The fields that a form has changed: unchanged ones are not sent, and so not overwritten. Related records are sent
 * if they are written within the record.
 */
export const changedFields = async (
  data: Fields,
  before: Fields,
  relations: Relations,
  relationsOf: RelationsOf,
): Promise<Fields> => {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(data)) {
    if (name.startsWith('@') || value === undefined || same(value, before[name])) continue;
    const relation = Object.hasOwn(relations, name) ? relations[name] : undefined;
    if (relation === undefined) fields[name] = value;
    if (relation?.write !== true) continue;
    const rows = rowsIn(value);
    // The service refuses a value that is no list.
    const items = rows && (await itemsOf(rows, rowsIn(before[name]) ?? [], relation, relationsOf));
    if (items === undefined || items.length > 0) fields[name] = items ?? value;
  }
  return fields;
};

/** A copy of a record is a new one, and so are the rows of its lists: their ids are left out. */
export const withoutIds = (data: Fields, relations: Relations): Fields =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const rows =
        Object.hasOwn(relations, name) && relations[name]?.write === true ? rowsIn(value) : undefined;
      return [name, rows === undefined ? value : rows.map(({ id: _id, ...row }) => row)];
    }),
  );
