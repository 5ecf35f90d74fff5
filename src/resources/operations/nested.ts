/**
 * Parses the nested records of a body, `lines: [{ … }, { id: 3, … }, { id: 4, _delete: true }]`, within limits and
 * grants. `save.ts` writes them.
 */

import type { RecordId } from '../../fields/key.ts';
import type { FieldError } from '../../kernel/field-error.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../kernel/json.ts';
import { type FieldRule, fieldError, type Label, type OwnRule } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { labelOf } from '../../model/names.ts';
import { deleteKey, deleteLabel, nestedLimits } from '../../model/nested-schema.ts';
import type { ModelRelation } from '../../model/resource.ts';
import type { Grant } from '../../policy/grant.ts';
import { requireGrant } from './area.ts';
import { placed } from './collected-errors.ts';
import { grantOfSystem } from './grant-of-system.ts';
import type { ServedResource } from './served-resource.ts';
import type { RecordWrite } from './writing.ts';

const tooMany: OwnRule = {
  name: 'max_items',
  sentence: { 'zh-CN': '{label}最多 {max} 条', en: '{label} must have at most {max} records' },
};
const tooDeep: OwnRule = {
  name: 'too_deep',
  sentence: {
    'zh-CN': '{label}嵌套过深，最多 {max} 层',
    en: '{label} is nested too deeply: at most {max} levels',
  },
};
const namedTwice: OwnRule = {
  name: 'duplicate',
  sentence: { 'zh-CN': '{label}重复', en: '{label} is duplicated' },
};

/** The rules of nested records beside those of fields; the reference of errors lists them. */
export const nestedRules: readonly OwnRule[] = [tooMany, tooDeep, namedTwice];

type Task = 'delete' | 'update' | 'create';

/** The order of the writes: deletions and updates come first, as they release unique values. */
export const tasks = ['delete', 'update', 'create'] as const satisfies readonly Task[];

export interface NestedItem {
  readonly task: Task;
  /** `lines.3` */
  readonly place: string;
  readonly rank: number;
  /** The id in the item; 0 for a create. */
  readonly id: RecordId;
  readonly values: JsonObject;
}

/** The nested records of one relation. */
export interface NestedList {
  readonly relation: ModelRelation;
  readonly resource: ServedResource;
  readonly items: readonly NestedItem[];
  /** The caller's grants on the related model, by task. */
  readonly grants: ReadonlyMap<Task, Grant>;
}

/** All nested records of a body. */
export interface Nested {
  readonly lists: readonly NestedList[];
  /** Errors in the form of the lists, by rank. */
  readonly errors: readonly { readonly errors: readonly FieldError[]; readonly rank: number }[];
  /** Number of nested records at all levels. */
  readonly records: number;
}

/** Counts the nested records of a body, down to the deepest level that is allowed. */
export const countNested = (resource: ServedResource, body: JsonObject, level = 1): number => {
  if (resource.nested.length === 0 || level > nestedLimits.levels) return 0;
  let count = 0;
  for (const { name, model } of resource.nested) {
    const value = own(body, name);
    if (!Array.isArray(value)) continue;
    count += value.length;
    const target = resource.context.resourceOf(model);
    for (const item of value) if (isJsonObject(item)) count += countNested(target, item, level + 1);
  }
  return count;
};

const assertFew = (records: number): number => {
  if (records > nestedLimits.records)
    throw new Problem('batch_too_large', { params: { records: nestedLimits.records } });
  return records;
};

/** The place of a nested list: its relation, the resource of its records, and the rank before its first one. */
interface ListPlace {
  readonly relation: ModelRelation;
  readonly resource: ServedResource;
  readonly base: number;
}

type NestedError = Nested['errors'][number];

const errorAt = (
  { resource: { context } }: ListPlace,
  field: string,
  label: Label,
  rule: FieldRule,
  rank: number,
  params?: Readonly<Record<string, string | number>>,
): NestedError => {
  return { errors: [fieldError(context.languages.first, field, label, rule, params)], rank };
};

const readItem = (
  at: ListPlace,
  item: Json,
  index: number,
  action: 'create' | 'update',
): NestedItem | NestedError => {
  const { relation, resource, base } = at;
  const place = `${relation.name}.${index}`;
  const rank = base + index + 1;
  if (!isJsonObject(item)) return errorAt(at, place, relation.label, 'type', rank, { type: 'object' });
  const { id: sent, [deleteKey]: _gone, ...values } = item;
  const [id, gone = false] = [own(item, 'id'), own(item, deleteKey)];
  if (typeof gone !== 'boolean') {
    return errorAt(at, `${place}.${deleteKey}`, deleteLabel, 'type', rank, { type: 'boolean' });
  }
  // Within a new record every record is new, and has the id that it gives.
  const isGiven = action === 'create' && !gone && resource.model.key.givenBy === 'caller';
  if (isGiven && sent !== undefined)
    return { task: 'create', place, rank, id: 0, values: { id: sent, ...values } };
  if (id === undefined)
    return gone
      ? errorAt(at, `${place}.id`, labelOf('id'), 'required', rank)
      : { task: 'create', place, rank, id: 0, values };
  // No record can belong to a new one. Whether it belongs to another record stays secret.
  const named = resource.model.key.of(id);
  if (action === 'create' || named === undefined)
    return { errors: placed(place, [resource.collision({ field: 'id', rule: 'reference' })]), rank };
  return { task: gone ? 'delete' : 'update', place, rank, id: named, values };
};

const readList = (
  at: ListPlace,
  value: Json,
  level: number,
  action: 'create' | 'update',
): readonly (NestedItem | NestedError)[] => {
  const { name, label } = at.relation;
  const { items, levels } = nestedLimits;
  if (level > levels) return [errorAt(at, name, label, tooDeep, at.base, { max: levels })];
  if (!Array.isArray(value)) return [errorAt(at, name, label, 'type', at.base, { type: 'array' })];
  if (value.length > items) return [errorAt(at, name, label, tooMany, at.base, { max: items })];
  const seen = new Set<RecordId>();
  const read: (NestedItem | NestedError)[] = [];
  for (const [index, each] of value.entries()) {
    const item = readItem(at, each as Json, index, action);
    const isNamed = !('errors' in item) && item.task !== 'create';
    const isAgain = isNamed && seen.has(item.id);
    read.push(isAgain ? errorAt(at, `${item.place}.id`, labelOf('id'), namedTwice, item.rank) : item);
    if (isNamed) seen.add(item.id);
  }
  return read;
};

const action = { delete: 'destroy', update: 'update', create: 'create' } as const;

/**
 * The grant by the policy of the related model's endpoint; a create also needs the reference to the outer record
 * writable.
 */
const grantFor = (
  { resource: { context }, acting }: RecordWrite,
  { model }: ServedResource,
  { to }: ModelRelation,
  task: Task,
): Grant => {
  if (acting.reason !== undefined) return grantOfSystem(model);
  const grant = requireGrant(model, context, acting, action[task]);
  if (task === 'create' && !grant.writable.has(to)) throw new Problem('forbidden');
  return grant;
};

/**
 * Parses the nested records of a body and makes the caller's grants for them. Undefined if there are none.
 * @throws Problem `forbidden`, `batch_too_large`
 */
export const parseNested = (
  write: RecordWrite,
  action: 'create' | 'update',
  body: JsonObject,
): Nested | undefined => {
  const { nested, context } = write.resource;
  if (nested.length === 0) return undefined;
  const held = nested.filter(({ name }) => own(body, name) !== undefined);
  if (held.length === 0) return undefined;
  const level = (write.of?.level ?? 0) + 1;
  const records = level === 1 ? assertFew(countNested(write.resource, body)) : 0;
  const errors: NestedError[] = [];
  const lists = held.map((relation, index): NestedList => {
    const resource = context.resourceOf(relation.model);
    const at = { relation, resource, base: index * (nestedLimits.items + 1) };
    const items: NestedItem[] = [];
    for (const each of readList(at, own(body, relation.name) ?? null, level, action))
      if ('errors' in each) errors.push(each);
      else items.push(each);
    const needed = tasks.filter((task) => items.some((item) => item.task === task));
    const grants = new Map(needed.map((task) => [task, grantFor(write, resource, relation, task)]));
    return { relation, resource, items, grants };
  });
  return { lists, errors, records };
};
