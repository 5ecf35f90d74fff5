/**
 * Actors of writes in the view of one reader.
 *
 * The actor is shown to readers who may read that user, or whom the record shows this user (`shows` of a reference), or
 * who read a membership of this user in a tenant of the record (`members.ts`); the reason to those who may read the
 * record that it names. Others see the kind of the actor only.
 */

import type { Principal } from '../../auth/principal.ts';
import type { Database } from '../../database/database.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { RecordStore } from '../records.ts';
import type { Related } from '../relations/related.ts';
import { reachOf } from '../rows/reach.ts';
import { namesOfUsers } from '../user-entity.ts';
import { type Membership, membershipKey, membersSeen } from './members.ts';
import { type RecordedActor, recordInReason, type Tenant, tenantsIn, usersShownIn } from './recorded.ts';

/** The reader of a view. */
export interface ActorReader {
  readonly principal: Principal;
  /** Returns the reader's access to a model; users are one. */
  readonly related: Related;
}

/** A write whose actor is shown to readers. */
export interface NamedWrite {
  readonly actor: RecordedActor;
  /** The users whom the record shows to this reader, by a field that both can see, each with the shown fields. */
  readonly users: ReadonlyMap<string, ReadonlySet<string>>;
  /** The tenants of the record, by a field that both can see. */
  readonly tenants: readonly Tenant[];
}

/** The values of a record on one side of a write, and the fields of it that the reader sees. */
type SeenValues = readonly [
  values: Readonly<Record<string, unknown>> | null | undefined,
  readable: readonly string[],
];

/** Determines what a record says of the actor of a write, by the sides that the reader sees. */
export const namedBy = (
  model: ResourceModel,
  models: Models,
  sides: readonly SeenValues[],
): Pick<NamedWrite, 'users' | 'tenants'> => ({
  users: new Map(sides.flatMap(([values, readable]) => [...usersShownIn(model, values, readable)])),
  tenants: sides.flatMap(([values, readable]) => tenantsIn(model, models, values, readable)),
});

/** The distinct actors and reasons of some writes, and the names of actors whom their records show. */
export interface NamedActors {
  readonly identities: ReadonlySet<string>;
  readonly reasons: ReadonlySet<string>;
  readonly names: ReadonlyMap<string, string>;
  /** The memberships that would name an actor. */
  readonly members: readonly Membership[];
}

/** A model whose database has the users. */
interface StoredModel {
  readonly context: { readonly database: Database; readonly models: Models };
}

/** A model whose records a reader may be able to read. */
interface ReadModel extends StoredModel {
  readonly model: Pick<ResourceModel, 'key'>;
  readonly records: Pick<RecordStore, 'writeState'>;
}

const identityOf = (kind: string, id: string | null): string | undefined =>
  id === null ? undefined : `${kind} ${id}`;

const ownIdentity = (principal: Principal): string | undefined => {
  if (principal.kind === 'nobody') return undefined;
  return identityOf(principal.kind, principal.kind === 'user' ? String(principal.id) : principal.appId);
};

/** The fields of the actor that the record of a write shows; undefined if it does not show this user. */
const fieldsOfActor = ({ actor, users }: NamedWrite): ReadonlySet<string> | undefined =>
  actor.kind === 'user' && actor.id !== null ? users.get(actor.id) : undefined;

/** The memberships that would name the actor of a write. */
const membershipsOfActor = ({ actor: { kind, id }, tenants }: NamedWrite): readonly Membership[] =>
  kind === 'user' && id !== null ? tenants.map((tenant) => ({ ...tenant, user: Number(id) })) : [];

/** Collects the actors of writes. One statement, if a record shows an actor by a name that the write does not keep. */
export const namedActors = async (
  resources: ReadonlyMap<string, StoredModel>,
  writes: readonly NamedWrite[],
): Promise<NamedActors> => {
  const unnamed = writes.flatMap((write) => {
    const fields = fieldsOfActor(write);
    return fields === undefined || fields.has('username') ? [] : [Number(write.actor.id)];
  });
  const [resource] = resources.values();
  const names =
    unnamed.length === 0 || resource === undefined
      ? new Map<string, string>()
      : await namesOfUsers(resource.context.database, [...new Set(unnamed)]);
  return {
    identities: new Set(writes.flatMap(({ actor: { kind, id } }) => identityOf(kind, id) ?? [])),
    reasons: new Set(writes.flatMap(({ actor: { reason } }) => reason ?? [])),
    names,
    members: [
      ...new Map(writes.flatMap(membershipsOfActor).map((each) => [membershipKey(each), each])).values(),
    ],
  };
};

/** Returns whose identity a reader sees as an actor: that of all, of one (`user 7`), or of none (undefined). */
export const actorsShownTo = ({ principal, related }: ActorReader): 'all' | string | undefined => {
  const users = related('User')?.grant;
  return users !== undefined && reachOf(users)?.terms.length === 0 ? 'all' : ownIdentity(principal);
};

/** True if a reader may read a record. If it was deleted, they have to be able to read all records of its model. */
const mayRead = async (
  resources: ReadonlyMap<string, ReadModel>,
  reader: ActorReader,
  model: string,
  text: string,
): Promise<boolean> => {
  if (model === 'User') return ['all', `user ${text}`].includes(actorsShownTo(reader) ?? '');
  const { key } = resources.get(model)?.model ?? {};
  const id = key?.parse(text);
  const records = resources.get(model)?.records;
  const grant = records && reader.related(model)?.grant;
  if (grant === undefined || id === undefined) return false;
  return reachOf(grant)?.terms.length === 0 || (await records?.writeState(grant, id)) !== undefined;
};

/** The memberships that name actors to a reader, by their keys; an actor whom the reader sees anyway needs none. */
const membersFor = async (
  resources: ReadonlyMap<string, StoredModel>,
  { related }: ActorReader,
  seen: string | undefined,
  members: readonly Membership[],
): Promise<ReadonlyMap<string, string | null>> => {
  const asked = seen === 'all' ? [] : members.filter(({ user }) => seen !== `user ${user}`);
  return asked.length === 0 ? new Map() : membersSeen(resources, related, asked);
};

/** Shows the actor of a write to a reader. */
export type ShowsActor = (write: NamedWrite) => JsonObject;

/** Returns a function that shows these actors to a reader. Readers with the same `key` see the same. */
export const shownActors = async (
  resources: ReadonlyMap<string, ReadModel>,
  reader: ActorReader,
  { identities, reasons, names, members }: NamedActors,
): Promise<{ readonly key: string; readonly shown: ShowsActor }> => {
  const seen = actorsShownTo(reader);
  const readable = new Set<string>();
  for (const reason of reasons) {
    const record = recordInReason(reason);
    if (record === undefined || (await mayRead(resources, reader, record.model, record.id)))
      readable.add(reason);
  }
  const known = await membersFor(resources, reader, seen, members);
  const one = seen === 'all' || (seen !== undefined && identities.has(seen)) ? seen : null;
  return {
    key: JSON.stringify([one, [...readable], [...known.keys()].sort()]),
    shown: (write) => {
      const { kind, id, name, key } = write.actor;
      const reason =
        write.actor.reason !== null && readable.has(write.actor.reason) ? write.actor.reason : null;
      if (one === 'all' || (one !== null && identityOf(kind, id) === one))
        return { kind, id, name, key, reason };
      const named = membershipsOfActor(write).filter((each) => known.has(membershipKey(each)));
      const fields = [
        ...(fieldsOfActor(write) ?? []),
        ...named.flatMap(({ memberships }) => memberships.shows),
      ];
      if (fields.length === 0) return { kind, id: null, name: null, key: null, reason };
      const [membership] = named;
      const ownName = names.get(id ?? '') ?? (membership && known.get(membershipKey(membership))) ?? null;
      const shownName = fields.includes('username') ? name : fields.includes('name') ? ownName : null;
      return { kind, id, name: shownName, key: null, reason };
    },
  };
};
