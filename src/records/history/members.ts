/**
 * Members of a record's tenants as actors: a reader sees the actor of a write whose membership in a tenant of the
 * record they read, if that membership shows its user (`shows` of its owner field).
 *
 * A tenant is a field of the record that a condition `member` of its model compares. The membership has to have the
 * same value as the record has on the side that the reader sees: a membership in one tenant names no user in records of
 * another one. Memberships are read as they are now, so former members are not named.
 */

import type { Database, SqlValue } from '../../database/database.ts';
import { columnOf, hasValue, ruleValue } from '../../database/source.ts';
import {
  type Fragment,
  identifier,
  join,
  type Statement,
  sql,
  statement,
  where,
} from '../../database/statement.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Models } from '../../model/models.ts';
import type { ModelField, ResourceModel } from '../../model/resource.ts';
import { type RowExpression, type RowMember, rowActions } from '../../model/row-expression.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Related } from '../relations/related.ts';
import { type RowReach, reachConditions, reachOf } from '../rows/reach.ts';
import { readerOf, resourceSource, seenSource } from '../view.ts';

/** Memberships that name members of a model's tenants. */
interface Memberships {
  /** The field of the record that names the tenant. */
  readonly field: string;
  readonly model: ResourceModel;
  /** The field of the membership that has the same value. */
  readonly on: string;
  /** The field of the membership that names the member, and the fields of the user that it shows. */
  readonly owner: string;
  readonly shows: readonly string[];
}

/** A tenant of a record, as its readers see it. */
export interface Tenant {
  readonly memberships: Memberships;
  readonly id: number;
}

/** A user who may be a member of a tenant. */
export interface Membership extends Tenant {
  readonly user: number;
}

/** Identifies a membership among those of all models. */
export const membershipKey = ({ memberships: { model, on }, id, user }: Membership): string =>
  `${model.name}.${on} ${id} ${user}`;

const membersIn = (expression: RowExpression): readonly RowMember[] => {
  if ('rules' in expression) return expression.rules.flatMap(membersIn);
  return expression.kind === 'member' ? [expression] : [];
};

/** True if a field holds ids: only records are tenants. */
const holdsIds = (field: ModelField | undefined): boolean =>
  field !== undefined && (field.name === 'id' || field.reference !== undefined);

const membershipsByModel = new WeakMap<ResourceModel, readonly Memberships[]>();

/**
 * The memberships by which rules of a model admit callers to the records themselves, as far as they show their users.
 * Made once for a model.
 */
export const membershipsOf = (model: ResourceModel, models: Models): readonly Memberships[] => {
  const cached = membershipsByModel.get(model);
  if (cached !== undefined) return cached;
  const { isolation, manage } = model.rules;
  const rules = [...rowActions.map((action) => isolation?.[action]), manage];
  const found = new Map<string, Memberships>();
  for (const { column, model: name, on, owner } of rules.flatMap((rule) =>
    rule === undefined ? [] : membersIn(rule.expression),
  )) {
    const memberships = models.get(name);
    const shows = [...(memberships?.relations.values() ?? [])].find(({ from }) => from === owner)?.shows;
    if (memberships === undefined || shows === undefined || !holdsIds(model.fields.get(column))) continue;
    found.set(`${column} ${name}.${on}`, { field: column, model: memberships, on, owner, shows });
  }
  const made = [...found.values()];
  membershipsByModel.set(model, made);
  return made;
};

/** The tenants that values of a record show to a caller who reads these fields. */
export const tenantsIn = (
  model: ResourceModel,
  models: Models,
  values: Readonly<Record<string, unknown>> | null | undefined,
  readable: readonly string[],
): readonly Tenant[] =>
  membershipsOf(model, models).flatMap((memberships) => {
    const value = readable.includes(memberships.field) ? values?.[memberships.field] : undefined;
    // Events keep some values as texts; without a value, there is no tenant.
    const id = Number(value ?? Number.NaN);
    return Number.isSafeInteger(id) ? [{ memberships, id }] : [];
  });

type MemberArguments = {
  /** The id of a user, and the id of a tenant, one pair after the other. */
  readonly asked: readonly SqlValue[];
  readonly rows: readonly SqlValue[];
  readonly reader: SqlValue;
};

/** Pairs of a statement. There are few numbers, so that few statements are compiled. */
const lengths = [1, 8, 64, 512] as const;
const longest = 512;

const asked = '_asked';
const row = '_member';

/** A model whose memberships are read. */
interface StoredModel {
  readonly context: { readonly database: Database; readonly models: Models };
}

/** The memberships that a reader may read. */
interface Reading {
  readonly memberships: Memberships;
  readonly context: StoredModel['context'];
  readonly grant: Grant;
  readonly reach: RowReach;
}

/** The statement that finds memberships of a reading. An index finds each: `memberRule` demands it. */
const membersStatement = (
  { memberships: { model, on, owner }, context: { database, models }, grant, reach }: Reading,
  count: number,
): Statement<MemberArguments> => {
  const { dialect } = database;
  return statement<MemberArguments>(dialect, (param) => {
    const source = seenSource(resourceSource(model, models), grant.mask);
    const [user, tenant] = [identifier(asked, 'column1'), identifier(asked, 'column2')];
    const id = (index: number): Fragment => dialect.cast(param('asked', index), 'integer');
    const pairs = Array.from({ length: count }, (_, index) => sql`(${id(2 * index)}, ${id(2 * index + 1)})`);
    const column = (of: string): Fragment => ruleValue(columnOf(source, of), dialect, row);
    const conditions = [
      ...reachConditions(reach.terms, column, (index) => param('rows', index), 'hold', dialect),
      ...hasValue(columnOf(source, owner), user, dialect, row),
      ...hasValue(columnOf(source, on), tenant, dialect, row),
    ];
    const name = sql`(select name from users where ${identifier('users', 'id')} = ${user})`;
    return sql`select ${user} as user_id, ${tenant} as tenant, ${name} as name
      from (values ${join(pairs)}) as ${identifier(asked)} where exists (
        select 1 from ${identifier(model.table)} as ${identifier(row)}${where(conditions)})`;
  });
};

/** Compiled statements, by the memberships, the number of pairs, and the rows and fields that the reader reads. */
const statements = new WeakMap<Database, BoundedCache<Statement<MemberArguments>>>();

const readMembers = async (
  reading: Reading,
  part: readonly Membership[],
): Promise<readonly (readonly [key: string, name: string | null])[]> => {
  const { memberships, context, grant, reach } = reading;
  const { database } = context;
  const count = lengths.find((length) => length >= part.length) ?? longest;
  const [last] = part.slice(-1);
  const padded = Array.from({ length: count }, (_, index) => part[index] ?? last);
  const cache = statements.get(database) ?? new BoundedCache(64);
  statements.set(database, cache);
  const { model, on } = memberships;
  const key = JSON.stringify([model.name, on, count, grant.mask?.key ?? null, reach.key]);
  const read = cache.getOrMake(key, () => membersStatement(reading, count));
  const ids = padded.flatMap((each) => (each === undefined ? [] : [each.user, each.id]));
  const values = { asked: ids, rows: reach.values, ...readerOf(grant) };
  const rows = await database.all<{ user_id: number; tenant: number; name: string | null }>(read(values));
  return rows.map(({ user_id, tenant, name }) => [
    membershipKey({ memberships, id: Number(tenant), user: Number(user_id) }),
    name,
  ]);
};

/** What a reader may read of memberships; undefined if none of them, or not whose they are. */
const readingOf = (
  resources: ReadonlyMap<string, StoredModel>,
  related: Related,
  memberships: Memberships,
): Reading | undefined => {
  const { model, on, owner } = memberships;
  const context = resources.get(model.name)?.context;
  const grant = related(model.name)?.grant;
  const reach = grant && reachOf(grant);
  if (context === undefined || grant === undefined || reach === undefined) return undefined;
  const isRead = grant.readable.includes(owner) && grant.readable.includes(on);
  return isRead ? { memberships, context, grant, reach } : undefined;
};

/**
 * Finds the memberships that a reader may read among these, by their keys, each with the name of its user. It takes one
 * statement for each model of memberships and 512 of them; none if the reader may not read them.
 */
export const membersSeen = async (
  resources: ReadonlyMap<string, StoredModel>,
  related: Related,
  members: readonly Membership[],
): Promise<ReadonlyMap<string, string | null>> => {
  const found = new Map<string, string | null>();
  const groups = Map.groupBy(members, ({ memberships: { model, on } }) => `${model.name}.${on}`);
  for (const group of groups.values()) {
    const [first] = group;
    const reading = first && readingOf(resources, related, first.memberships);
    if (reading === undefined) continue;
    for (let start = 0; start < group.length; start += longest)
      for (const [key, name] of await readMembers(reading, group.slice(start, start + longest)))
        found.set(key, name);
  }
  return found;
};
