import type { JsonObject } from '../kernel/json.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import { type ActorReader, namedActors, shownActors } from '../operations/shown-actor.ts';
import { type RecordedActor, setByServer } from '../records/history/recorded.ts';
import type { Related } from '../records/relations/related.ts';
import type { RecordedEvent } from '../service/events/event-log.ts';
import type { SeenSides } from '../service/events/event-readers.ts';

/** An event as somebody is told of it. */
export interface ToldEvent extends JsonObject {
  /** Its place in the log: events are told in the order of their numbers. */
  readonly number: number;
  readonly model: string;
  readonly id: number;
  readonly action: RecordedEvent['action'];
  readonly at: string;
  readonly actor: JsonObject;
  readonly version: number;
  /** Fields whose values became others, of those that the caller may read. */
  readonly fields: readonly string[];
}

export const toldEvent = (
  { number, model, record, action, at, actor, version, fields }: RecordedEvent,
  shown: (actor: RecordedActor) => JsonObject,
): ToldEvent => ({ number, model, id: record, action, at, actor: shown(actor), version, fields });

/**
 * The fields that somebody is told to have changed. Of an update of which they see one side only it must not be said how
 * that one differs from the other, so these are all that they read.
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
 * The events that somebody may be told of, as things are at this moment, with the fields that they read: those of records
 * that they read now and that were readable to them before or after the event, and of records that are gone those that
 * they could read before. An update that changed none of these fields is none to callers who do not read every field: it
 * may have changed one that they do not read. `related` returns what they read of a model.
 */
export const seenOf = async (
  resources: ReadonlyMap<string, ServedResource>,
  related: Related,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> => {
  const found = new Map<number, RecordedEvent>();
  const asked = [...Map.groupBy(events, ({ model }) => model)].map(async ([model, of]) => {
    const resource = resources.get(model);
    const grant = related(model)?.grant;
    // A model that is gone, or that tells nothing any more.
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
  await Promise.all(asked);
  return events.flatMap(({ number }) => found.get(number) ?? []);
};

/** The same as it is sent to one reader. */
export const toldOf = async (
  resources: ReadonlyMap<string, ServedResource>,
  reader: ActorReader,
  events: readonly RecordedEvent[],
): Promise<readonly ToldEvent[]> => {
  const seen = await seenOf(resources, reader.related, events);
  const { shown } = await shownActors(resources, reader, namedActors(seen.map(({ actor }) => actor)));
  return seen.map((event) => toldEvent(event, shown));
};
