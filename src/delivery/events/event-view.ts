/**
 * Events in the view of one reader.
 */

import type { RecordId } from '../../fields/key.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { RecordedEvent, SeenSides } from '../../ledger/event-log.ts';
import { setByServer } from '../../model/resource.ts';
import {
  type ActorReader,
  type NamedWrite,
  namedActors,
  namedBy,
  type ShowsActor,
  shownActors,
} from '../../records/history.ts';
import { shownFields } from '../../records/masked-source.ts';
import type { Related } from '../../records/relations.ts';
import type { ServedResource } from '../../resources/operations.ts';

/** An event in the view of one reader. */
export interface EventView extends JsonObject {
  /** Its number in the log; events are sent in this order. */
  readonly number: number;
  readonly model: string;
  readonly id: RecordId;
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

/** The fields that the record shows to the reader, as it was on a side. */
const shownOn = (
  { hidden }: SeenSides,
  side: 'before' | 'after',
  names: readonly string[],
): readonly string[] => (hidden === undefined ? names : shownFields(names, hidden[side]));

/** Returns what the record of an event says of its actor: by the values that the event keeps of the visible sides. */
const namedIn = (
  { model, context: { models } }: ServedResource,
  { action, reach }: RecordedEvent,
  sides: SeenSides,
  readable: readonly string[],
): Pick<NamedWrite, 'users' | 'tenants'> => {
  const values = action === 'destroy' ? { before: reach } : reach;
  const seen = (['before', 'after'] as const).filter((side) => action === 'destroy' || sides[side]);
  return namedBy(
    model,
    models,
    seen.map((side) => {
      const kept = values?.[side] ?? null;
      return [isJsonObject(kept) ? kept : null, shownOn(sides, side, readable)];
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
          ...namedIn(resource, event, seen, grant.readable),
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
