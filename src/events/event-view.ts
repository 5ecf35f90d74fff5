import type { Principal } from '../auth/principal.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import { type RecordedActor, recordInReason, setByServer } from '../records/history/recorded.ts';
import type { Related } from '../records/relations/related.ts';
import { reachOf } from '../records/rows/reach.ts';
import type { RecordedEvent, SeenSides } from '../service/events/event-log.ts';

/**
 * Events and their actors in the view of one reader. The actor is shown to readers who may read that user, the reason
 * to those who may read the record that it names; others see the kind of the actor only.
 */

/** The reader of a view. */
export interface ActorReader {
  readonly principal: Principal;
  /** Returns the reader's access to a model; users are one. */
  readonly related: Related;
}

/** The distinct actors and reasons of some events. */
export interface NamedActors {
  readonly identities: ReadonlySet<string>;
  readonly reasons: ReadonlySet<string>;
}

const identityOf = (kind: string, id: string | null): string | undefined =>
  id === null ? undefined : `${kind} ${id}`;

const ownIdentity = (principal: Principal): string | undefined => {
  if (principal.kind === 'nobody') return undefined;
  return identityOf(principal.kind, principal.kind === 'user' ? String(principal.id) : principal.appId);
};

export const namedActors = (actors: readonly RecordedActor[]): NamedActors => ({
  identities: new Set(actors.flatMap(({ kind, id }) => identityOf(kind, id) ?? [])),
  reasons: new Set(actors.flatMap(({ reason }) => reason ?? [])),
});

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

/** Returns a function that shows these actors to a reader. Readers with the same `key` see the same. */
export const shownActors = async (
  resources: ReadonlyMap<string, Pick<ServedResource, 'records'>>,
  reader: ActorReader,
  { identities, reasons }: NamedActors,
): Promise<{ readonly key: string; readonly shown: (actor: RecordedActor) => JsonObject }> => {
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
    shown: (actor) => {
      const { kind, id, name, key } = actor;
      const isShown = one === 'all' || (one !== null && identityOf(kind, id) === one);
      const reason = actor.reason !== null && readable.has(actor.reason) ? actor.reason : null;
      return isShown ? { kind, id, name, key, reason } : { kind, id: null, name: null, key: null, reason };
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

export const viewEvent = (
  { number, model, record, action, at, actor, version, fields }: RecordedEvent,
  shown: (actor: RecordedActor) => JsonObject,
): EventView => ({ number, model, id: record, action, at, actor: shown(actor), version, fields });

/**
 * The fields that an event reports as changed. Of an update of which the reader sees one side only, it reports all
 * fields that they read, since the actual ones would reveal the other side.
 */
const fieldsFor = (
  { action, fields }: RecordedEvent,
  { before, after }: SeenSides,
  readable: readonly string[],
): readonly string[] =>
  action !== 'update' || (before && after)
    ? fields.filter((name) => readable.includes(name))
    : readable.filter((name) => !setByServer.has(name));

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
): Promise<readonly RecordedEvent[]> => {
  const found = new Map<number, RecordedEvent>();
  const lookUps = [...Map.groupBy(events, ({ model }) => model)].map(async ([model, of]) => {
    const resource = resources.get(model);
    const grant = related(model)?.grant;
    // The model was removed, or no longer has events.
    if (resource?.model.events !== true || grant === undefined) return;
    const sides = await resource.eventReaders.seen(grant, of);
    const readsEveryField = [...resource.model.fields.keys()].every((name) => grant.readable.includes(name));
    for (const event of of) {
      const seen = sides.get(event.number);
      if (seen === undefined) continue;
      const fields = fieldsFor(event, seen, grant.readable);
      if (event.action !== 'update' || fields.length > 0 || readsEveryField)
        found.set(event.number, { ...event, fields });
    }
  });
  await Promise.all(lookUps);
  return events.flatMap(({ number }) => found.get(number) ?? []);
};

/** The views of the events that a reader may see. */
export const viewEvents = async (
  resources: ReadonlyMap<string, ServedResource>,
  reader: ActorReader,
  events: readonly RecordedEvent[],
): Promise<readonly EventView[]> => {
  const seen = await visibleEvents(resources, reader.related, events);
  const { shown } = await shownActors(resources, reader, namedActors(seen.map(({ actor }) => actor)));
  return seen.map((event) => viewEvent(event, shown));
};
