import type { JsonObject } from '../kernel/json.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import type { RecordedEvent } from '../store/events/event-log.ts';
import type { Related } from '../store/relations/related.ts';

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

const toldEvent = (
  { number, model, record, action, at, actor, version, fields }: RecordedEvent,
  readable: readonly string[],
): ToldEvent => ({
  ...{ number, model, id: record, action, at, actor: { ...actor }, version },
  fields: fields.filter((name) => readable.includes(name)),
});

/**
 * What somebody may be told of events, as things are at this moment: those of records that they read now, and of records
 * that are gone those that they could read before. `related` answers what they read of a model.
 */
export const toldOf = async (
  resources: ReadonlyMap<string, ServedResource>,
  related: Related,
  events: readonly RecordedEvent[],
): Promise<readonly ToldEvent[]> => {
  const told = new Map<number, ToldEvent>();
  const asked = [...Map.groupBy(events, ({ model }) => model)].map(async ([model, of]) => {
    const resource = resources.get(model);
    const grant = related(model)?.grant;
    // A model that is gone, or that tells nothing any more.
    if (resource?.model.events !== true || grant === undefined) return;
    const numbers = await resource.eventReaders.told(grant, of);
    for (const event of of)
      if (numbers.has(event.number)) told.set(event.number, toldEvent(event, grant.readable));
  });
  await Promise.all(asked);
  return events.flatMap(({ number }) => told.get(number) ?? []);
};
