/**
 * Members of a record's tenants as actors: a reader sees the actor of a write whose membership in a tenant of the
 * record they read, if that membership shows its user (`shows` of its owner field).
 *
 * A tenant is what a condition `member` of the record's model compares: a field of the record, on the side that the
 * reader sees, or of a record behind it (`via`). The membership has to have the same value: a membership in one tenant
 * names no user in records of another one. Memberships and records behind are read as they are now, so former members
 * are not named.
 */

import type { Database, SqlValue } from '../../database/database.ts';
import { readId } from '../../database/record-column.ts';
import { columnOf, hasValue, ruleValue, type Source, storedValue } from '../../database/source.ts';
import {
  type Argument,
  type Fragment,
  identifier,
  join,
  own,
  rowsOf,
  type Statement,
  sql,
  statement,
  tableName,
  where,
} from '../../database/statement.ts';
import type { ColumnKind } from '../../fields/field.ts';
import type { RecordId } from '../../fields/key.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Related } from '../relations/related.ts';
import { type RowReach, reachConditions, reachOf } from '../rows/reach.ts';
import { readerOf, resourceSource, seenSource } from '../view.ts';
import type { Memberships, Tenant, TenantStep } from './recorded.ts';

/** A user who may be a member of a tenant. */
export interface Membership extends Tenant {
  readonly user: number;
}

/** Identifies a membership among those of all models. */
export const membershipKey = ({ memberships: { key }, id, user }: Membership): string =>
  `${key} ${id} ${user}`;

type MemberArguments = {
  /** The id of a user, and that of a tenant or of a record that leads to it, one pair after the other. */
  readonly asked: readonly SqlValue[];
  readonly rows: readonly SqlValue[];
  readonly reader: SqlValue;
};

/** Pairs of a statement. There are few numbers, so that few statements are compiled. */
const lengths = [1, 8, 64, 512] as const;
const longest = 512;

const asked = '_asked';
const row = '_member';

/** A model whose records are read. */
interface StoredModel {
  readonly context: { readonly database: Database; readonly models: Models };
}

/** The records of a model that a reader may read; the values of their conditions begin at `start`. */
interface MemberReach {
  readonly model: ResourceModel;
  readonly grant: Grant;
  readonly rows: RowReach;
  readonly start: number;
}

/** The memberships that a reader may read, and the records that lead to their tenants. */
interface Reading {
  readonly memberships: Memberships;
  readonly context: StoredModel['context'];
  readonly members: MemberReach;
  readonly behind: readonly (MemberReach & TenantStep)[];
}

type MemberParam = Argument<MemberArguments>;

/** The source of a reach, and the conditions that the reader reads a row of it. */
const readRows = (
  { model, grant, rows, start }: MemberReach,
  { models, database: { dialect } }: StoredModel['context'],
  alias: string,
  param: MemberParam,
): { readonly source: Source; readonly conditions: readonly Fragment[] } => {
  const source = seenSource(resourceSource(model, models), grant.mask);
  const column = (of: string): Fragment => ruleValue(columnOf(source, of), dialect, alias);
  const value = (index: number): Fragment => param('rows', start + index);
  return { source, conditions: reachConditions(rows.terms, column, value, 'hold', dialect) };
};

/** The tenant to which a record leads as it is now; null if the reader does not see it. */
const tenantBehind = ({ behind, context }: Reading, first: Fragment, param: MemberParam): Fragment => {
  const { dialect } = context.database;
  return behind.reduce((id, step, index) => {
    const alias = `_behind${index}`;
    const { source, conditions } = readRows(step, context, alias, param);
    const held = [...hasValue(columnOf(source, 'id'), id, dialect, alias), ...conditions];
    const next = storedValue(columnOf(source, step.column), dialect, alias);
    return sql`(select ${next} from ${rowsOf(step.model.stored)} as ${identifier(alias)}${where(held)})`;
  }, first);
};

/** The statement that finds memberships of a reading. An index finds each: `memberRule` demands it. */
const membersStatement = (reading: Reading, count: number): Statement<MemberArguments> => {
  const { memberships, context, members } = reading;
  const { dialect } = context.database;
  return statement<MemberArguments>(dialect, (param) => {
    const { source, conditions } = readRows(members, context, row, param);
    const [user, tenant] = [identifier(asked, 'user_id'), identifier(asked, 'tenant')];
    const value = (index: number, kind: ColumnKind): Fragment => dialect.cast(param('asked', index), kind);
    const { column } = memberships.named.field.type;
    const pairs = Array.from(
      { length: count },
      (_, index) => sql`(${value(2 * index, 'integer')}, ${value(2 * index + 1, column)})`,
    );
    const held = [
      ...hasValue(columnOf(source, memberships.owner), user, dialect, row),
      ...hasValue(columnOf(source, memberships.on), tenantBehind(reading, tenant, param), dialect, row),
      ...conditions,
    ];
    const name = sql`(select name from ${own('users')} where ${tableName('users', 'id')} = ${user})`;
    return sql`with ${identifier(asked)} (user_id, tenant) as (values ${join(pairs)})
      select ${user} as user_id, ${readId(dialect, memberships.named, tenant)} as tenant, ${name} as name from ${identifier(asked)} where exists (
        select 1 from ${rowsOf(memberships.model.stored)} as ${identifier(row)}${where(held)})`;
  });
};

/** Compiled statements, by the memberships, the number of pairs, and the rows and fields that the reader reads. */
const statements = new WeakMap<Database, BoundedCache<Statement<MemberArguments>>>();

const readMembers = async (
  reading: Reading,
  part: readonly Membership[],
): Promise<readonly (readonly [key: string, name: string | null])[]> => {
  const { memberships, context, members, behind } = reading;
  const { database } = context;
  const count = lengths.find((length) => length >= part.length) ?? longest;
  const [last] = part.slice(-1);
  const padded = Array.from({ length: count }, (_, index) => part[index] ?? last);
  const cache = statements.get(database) ?? new BoundedCache(64);
  statements.set(database, cache);
  const reaches = [members, ...behind];
  const seen = reaches.map(({ grant, rows }) => [grant.mask?.key ?? null, rows.key]);
  const read = cache.getOrMake(JSON.stringify([memberships.key, count, seen]), () =>
    membersStatement(reading, count),
  );
  const found = await database.all<{ user_id: number; tenant: RecordId; name: string | null }>(
    read({
      asked: padded.flatMap((each) => (each === undefined ? [] : [each.user, each.id])),
      rows: reaches.flatMap(({ rows }) => rows.values),
      ...readerOf(members.grant),
    }),
  );
  return found.map(({ user_id, tenant, name }) => [
    membershipKey({ memberships, id: memberships.named.stored(tenant), user: Number(user_id) }),
    name,
  ]);
};

/** The records of a model that a reader may read; undefined if none, or not all of these fields. */
const reachIn = (
  related: Related,
  model: ResourceModel,
  fields: readonly string[],
  start: number,
): MemberReach | undefined => {
  const grant = related(model.name)?.grant;
  const rows = grant && reachOf(grant);
  if (grant === undefined || rows === undefined) return undefined;
  return fields.every((name) => grant.readable.includes(name)) ? { model, grant, rows, start } : undefined;
};

/** The memberships that a reader may read; undefined if none, or not their users or tenants. */
const readingOf = (
  resources: ReadonlyMap<string, StoredModel>,
  related: Related,
  memberships: Memberships,
): Reading | undefined => {
  const { model, on, owner } = memberships;
  const context = resources.get(model.name)?.context;
  const members = reachIn(related, model, [owner, on], 0);
  if (context === undefined || members === undefined) return undefined;
  const behind: (MemberReach & TenantStep)[] = [];
  let start = members.rows.values.length;
  for (const step of memberships.behind) {
    const reach = reachIn(related, step.model, [step.column], start);
    if (reach === undefined) return undefined;
    behind.push({ ...reach, column: step.column });
    start += reach.rows.values.length;
  }
  return { memberships, context, members, behind };
};

/**
 * Finds the memberships that a reader may read among these, by their keys, each with the name of its user. It takes one
 * statement for each model of memberships, way to its tenants, and 512 of them; none if the reader may not read them.
 */
export const membersSeen = async (
  resources: ReadonlyMap<string, StoredModel>,
  related: Related,
  members: readonly Membership[],
): Promise<ReadonlyMap<string, string | null>> => {
  const found = new Map<string, string | null>();
  for (const group of Map.groupBy(members, ({ memberships: { key } }) => key).values()) {
    const [first] = group;
    const reading = first && readingOf(resources, related, first.memberships);
    if (reading === undefined) continue;
    for (let start = 0; start < group.length; start += longest)
      for (const [key, name] of await readMembers(reading, group.slice(start, start + longest)))
        found.set(key, name);
  }
  return found;
};
