import type { Principal } from '../auth/principal.ts';
import { isJsonObject, type JsonObject } from '../kernel/json.ts';
import { type ResourceModel, setByServer } from '../model/resource.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import { type RecordedActor, recordInReason, usersShownIn } from '../records/history/recorded.ts';
import { shownFields } from '../records/masked-source.ts';
import type { Related } from '../records/relations/related.ts';
import { reachOf } from '../records/rows/reach.ts';
import { namesOfUsers } from '../records/users.ts';
import type { RecordedEvent, SeenSides } from '../service/events/event-log.ts';

/**
 * Events and their actors in the view of one reader. The actor is shown to readers who may read that user, or whom the
 * record shows this user (`shows` of a reference); the reason to those who may read the record that it names. Others see
 * the kind of the actor only.
 */

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
}

/** The distinct actors and reasons of some writes, and the names of actors whom their records show. */
export interface NamedActors {
  readonly identities: ReadonlySet<string>;
  readonly reasons: ReadonlySet<string>;
  readonly names: ReadonlyMap<string, string>;
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

/** Collects the actors of writes. One statement, if a record shows an actor by a name that the write does not keep. */
export const namedActors = async (
  resources: ReadonlyMap<string, Pick<ServedResource, 'context'>>,
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
  };
};

/** Returns whose identity a reader sees as an actor: that of all, of one (`user 7`), or of none (undefined). */
export const actorsShownTo = ({ principal, related }: ActorReader): 'all' | string | undefined => {
  const users = related('User')?.grant;
  return users !== undefined && reachOf(users)?.terms.length === 0 ? 'all' : ownIdentity(principal);
};

/** Whether a reader may read a record. If it was deleted, they have to be able to read all records of its model. */
const mayRead = async (
  resources: ReadonlyMap<string, Pick<ServedResource, 'records'>>,
  reader: ActorReader,
  model: string,
  id: number,
): Promise<boolean> => {
  if (model === 'User') return ['all', `user ${id}`].includes(actorsShownTo(reader) ?? '');
  const records = resources.get(model)?.records;
  const grant = records && reader.related(model)?.grant;
  if (grant === undefined) return false;
  return reachOf(grant)?.terms.length === 0 || (await records?.standing(grant, id)) !== undefined;
};

/** Shows the actor of a write to a reader. */
export type ShowsActor = (write: NamedWrite) => JsonObject;

/** Returns a function that shows these actors to a reader. Readers with the same `key` see the same. */
export const shownActors = async (
  resources: ReadonlyMap<string, Pick<ServedResource, 'records'>>,
  reader: ActorReader,
  { identities, reasons, names }: NamedActors,
): Promise<{ readonly key: string; readonly shown: ShowsActor }> => {
  const seen = actorsShownTo(reader);
  const readable = new Set<string>();
  for (const reason of reasons) {
    const record = recordInReason(reason);
    if (record === undefined || (await mayRead(resources, reader, record.model, record.id)))
      readable.add(reason);
  }
  const one = seen === 'all' || (seen !== undefined && identities.has(seen)) ? seen : null;
  return {
    key: JSON.stringify([one, ...readable]),
    shown: (write) => {
      const { kind, id, name, key } = write.actor;
      const reason =
        write.actor.reason !== null && readable.has(write.actor.reason) ? write.actor.reason : null;
      if (one === 'all' || (one !== null && identityOf(kind, id) === one))
        return { kind, id, name, key, reason };
      const fields = fieldsOfActor(write);
      if (fields === undefined) return { kind, id: null, name: null, key: null, reason };
      const shownName = fields.has('username')
        ? name
        : fields.has('name')
          ? (names.get(id ?? '') ?? null)
          : null;
      return { kind, id, name: shownName, key: null, reason };
    },
  };
};

/** An event in the view of one reader. */
export interface EventView extends JsonObject {
  /** Its number in the log; events are sent in this order. */
  readonly number: number;
  readonly model: string;
  readonly id: number;
  readonly action: RecordedEvent['action'];
  readonly at: string;
  readonly actor: JsonObject;
  readonly version: number;
  /** The changed fields that the caller may read. */
  readonly fields: readonly string[];
}

export const viewEvent = (event: VisibleEvent, shown: ShowsActor): EventView => {
  const { number, model, record, action, at, version, fields } = event;
  return { number, model, id: record, action, at, actor: shown(event), version, fields };
};

/** An event with what its reader sees of it. */
export type VisibleEvent = RecordedEvent & NamedWrite;

/** Those of the fields that the record shows to the reader, as it was on a side. */
const shownOn = (
  { hidden }: SeenSides,
  side: 'before' | 'after',
  names: readonly string[],
): readonly string[] => (hidden === undefined ? names : shownFields(names, hidden[side]));

/** The users whom the record of an event shows, by the values that the event keeps of the sides that the reader sees. */
const usersOf = (
  model: ResourceModel,
  { action, reach }: RecordedEvent,
  sides: SeenSides,
  readable: readonly string[],
): NamedWrite['users'] => {
  const values = action === 'destroy' ? { before: reach } : reach;
  const seen = (['before', 'after'] as const).filter((side) => action === 'destroy' || sides[side]);
  return new Map(
    seen.flatMap((side) => {
      const kept = values?.[side];
      const record = isJsonObject(kept ?? null) ? (kept as JsonObject) : null;
      return [...usersShownIn(model, record, shownOn(sides, side, readable))];
    }),
  );
};

/**
 * The fields that an event reports as changed. Of an update of which the reader sees one side only, it reports all
 * fields that they read, since the actual ones would reveal the other side; so it does for a field that one side only
 * shows.
 */
const fieldsFor = (
  { action, fields }: RecordedEvent,
  sides: SeenSides,
  readable: readonly string[],
): readonly string[] => {
  const { before, after, hidden } = sides;
  const changed = fields.filter((name) => readable.includes(name));
  if (action === 'create') return shownOn(sides, 'after', changed);
  if (action === 'destroy') return shownOn(sides, 'before', changed);
  const declared = readable.filter((name) => !setByServer.has(name));
  if (!before || !after) return shownOn(sides, before ? 'before' : 'after', declared);
  if (hidden === undefined || hidden.before.size + hidden.after.size === 0) return changed;
  return declared.filter((name) => {
    const isHidden = [hidden.before.has(name), hidden.after.has(name)];
    if (isHidden.every((each) => each)) return false;
    return isHidden.includes(true) || fields.includes(name);
  });
};

/**
 * The events that a reader may see now, with the fields that they read: events of records that they read now and that
 * were readable to them before or after the event, and of deleted records those that they could read before. An
 * update that changed none of these fields is hidden from readers without access to all fields: it may have changed
 * another one. `related` returns the reader's access to a model.
 */
export const visibleEvents = async (
  resources: ReadonlyMap<string, ServedResource>,
  related: Related,
  events: readonly RecordedEvent[],
): Promise<readonly VisibleEvent[]> => {
  const found = new Map<number, VisibleEvent>();
  const lookUps = [...Map.groupBy(events, ({ model }) => model)].map(async ([model, of]) => {
    const resource = resources.get(model);
    const grant = related(model)?.grant;
    // The model was removed, or no longer has events.
    if (resource?.model.events !== true || grant === undefined) return;
    const sides = await resource.eventReaders.seen(grant, of);
    const readsEveryField =
      grant.mask === undefined &&
      [...resource.model.fields.keys()].every((name) => grant.readable.includes(name));
    for (const event of of) {
      const seen = sides.get(event.number);
      if (seen === undefined) continue;
      const fields = fieldsFor(event, seen, grant.readable);
      if (event.action !== 'update' || fields.length > 0 || readsEveryField)
        found.set(event.number, {
          ...event,
          fields,
          users: usersOf(resource.model, event, seen, grant.readable),
        });
    }
  });
  await Promise.all(lookUps);
  return events.flatMap(({ number }) => found.get(number) ?? []);
};

/**
 * The views of the events that a reader may see.
 * @param access to the records of the events, if it is narrower than the reader's
 */
export const viewEvents = async (
  resources: ReadonlyMap<string, ServedResource>,
  reader: ActorReader,
  events: readonly RecordedEvent[],
  access: Related = reader.related,
): Promise<readonly EventView[]> => {
  const seen = await visibleEvents(resources, access, events);
  const { shown } = await shownActors(resources, reader, await namedActors(resources, seen));
  return seen.map((event) => viewEvent(event, shown));
};
