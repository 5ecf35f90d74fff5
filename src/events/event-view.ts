import type { JsonObject } from '../kernel/json.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import { type ActorReader, namedActors, shownActors } from '../operations/shown-actor.ts';
import { type RecordedActor, setByServer } from '../records/history/recorded.ts';
import type { Related } from '../records/relations/related.ts';
import type { RecordedEvent } from '../service/events/event-log.ts';
import type { SeenSides } from '../service/events/event-readers.ts';

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
