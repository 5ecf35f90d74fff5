/** Determines which events each caller of a stream receives, and encodes them once for callers who receive the same. */

import type { Principal } from '../../auth/principal.ts';
import type { RecordId } from '../../fields/key.ts';
import type { RecordedEvent, RecordReaders, RecordValues } from '../../ledger/event-log.ts';
import type { Grant } from '../../policy/grant.ts';
import {
  type ActorReader,
  actorsShownTo,
  type NamedActors,
  namedActors,
  shownActors,
} from '../../records/history.ts';
import { type ReachTerm, type RowReach, reachOf } from '../../records/rows.ts';
import { readerOf } from '../../records/view.ts';
import { type AreaRules, relatedFor, type ServedResource } from '../../resources/operations.ts';
import { type EventView, type VisibleEvent, viewEvent, visibleEvents } from './event-view.ts';

/** The models that a stream follows, and the rules of its area. */
export interface Following {
  readonly area: AreaRules;
  /** Names of models with `events: true`. */
  readonly models: readonly string[];
}

/** Callers who receive identical events: they follow the same models, and read the same rows, fields and users. */
export interface Audience extends ActorReader {
  readonly key: string;
  /** Key of the rows and fields of the followed models alone. */
  readonly reads: string;
  readonly models: ReadonlySet<string>;
}

/** Events for all who read the same rows and fields, and the actors in them. */
interface VisibleEvents {
  readonly events: readonly VisibleEvent[];
  readonly actors: NamedActors;
}

const json = new TextEncoder();

/** Events in the format of the stream (HTML Living Standard, 9.2), as bytes that all receivers share. */
const encodeFrames = (events: readonly EventView[]): Uint8Array | undefined => {
  if (events.length === 0) return undefined;
  return json.encode(
    events.map((event) => `id: ${event.number}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  );
};

/** The rows that a grant reaches, as a part of a key. */
const readsOf = (grant: Grant | undefined): readonly unknown[] => {
  const reach = grant && reachOf(grant);
  return [reach?.key ?? null, reach?.values ?? null];
};

/** The fields that a grant lets see, as a part of a key: conditions on them depend on the caller. */
const fieldsRead = (grant: Grant): readonly unknown[] =>
  grant.mask === undefined ? [grant.readable] : [grant.readable, grant.mask.key, readerOf(grant).reader];

const isSame = (one: unknown, other: unknown): boolean =>
  one !== null && one !== undefined && Number(one) === Number(other);

/**
 * Events with values of their records, which are read once for many callers. It removes events that a caller
 * certainly may not receive; a statement decides about the rest.
 */
class Narrowing {
  readonly #events: readonly RecordedEvent[];
  readonly #columns: readonly string[];
  readonly #values: ReadonlyMap<RecordId, RecordValues>;
  /** Events by the value of a column of their records. */
  readonly #indexes = new Map<string, ReadonlyMap<number, readonly RecordedEvent[]>>();

  constructor(events: readonly RecordedEvent[], { columns, values }: RecordReaders) {
    this.#events = events;
    this.#columns = columns;
    this.#values = values;
  }

  /** Returns the events that a caller with the reach may possibly receive. */
  left({ terms, values }: RowReach): readonly RecordedEvent[] {
    const own = terms.findIndex((term) => typeof term === 'string' && this.#columns.includes(term));
    const column = terms[own];
    const events = typeof column === 'string' ? this.#with(column, Number(values[own])) : this.#events;
    if (terms.length === (column === undefined ? 0 : 1)) return events;
    return events.filter((event) => {
      const record = this.#valuesOf(event);
      return record !== undefined && terms.every((term, index) => this.#holds(term, record, values[index]));
    });
  }

  #valuesOf({ action, reach, record }: RecordedEvent): RecordValues | undefined {
    return action === 'destroy' ? (reach ?? undefined) : this.#values.get(record);
  }

  #with(column: string, value: number): readonly RecordedEvent[] {
    let index = this.#indexes.get(column);
    if (index === undefined) {
      index = Map.groupBy(this.#events, (event) => {
        const held = this.#valuesOf(event)?.[column];
        return held === null || held === undefined ? Number.NaN : Number(held);
      });
      this.#indexes.set(column, index);
    }
    return index.get(value) ?? [];
  }

  /** Tells whether a condition may hold; true if that cannot be decided here. */
  #holds(term: ReachTerm, record: RecordValues, value: unknown): boolean {
    if (typeof term === 'string') return !this.#columns.includes(term) || isSame(record[term], value);
    switch (term.kind) {
      case 'own':
        return isSame(record[term.column], value);
      case 'anyOf':
        return term.rules.some((rule) => this.#holds(rule, record, value));
      case 'allOf':
        return term.rules.every((rule) => this.#holds(rule, record, value));
      default:
        return true;
    }
  }
}

/** Determines which events each caller receives. */
export const createAudiences = (resources: ReadonlyMap<string, ServedResource>) => {
  const models = new Map([...resources].map(([name, { model }]) => [name, model]));
  return {
    /** Undefined where the caller may read none of the models (any more). */
    of: ({ area, models: followed }: Following, principal: Principal): Audience | undefined => {
      const related = relatedFor({ models }, { principal, area });
      const readable = followed.flatMap((name) => {
        const grant = related(name)?.grant;
        return grant === undefined ? [] : [[name, ...readsOf(grant), ...fieldsRead(grant)]];
      });
      if (readable.length === 0) return undefined;
      const reads = JSON.stringify(readable);
      // A reason may name a record of any model, and a membership the actor. The last part identifies the caller.
      const others = [...models.keys()].map((name) => readsOf(related(name)?.grant));
      const key = JSON.stringify([reads, others, actorsShownTo({ principal, related })]);
      return { key, reads, models: new Set(followed), principal, related };
    },

    /** Returns a function that encodes the given events for an audience; undefined when it receives none of them. */
    encoderFor: (events: readonly RecordedEvent[]) => {
      const byModel = Map.groupBy(events, ({ model }) => model);
      const narrowed = new Map<string, Promise<Narrowing | undefined>>();
      const visible = new Map<string, Promise<VisibleEvents>>();
      const frames = new Map<string, Uint8Array | undefined>();
      const narrow = async (name: string, of: readonly RecordedEvent[]): Promise<Narrowing | undefined> => {
        const readers = await resources.get(name)?.eventReaders.readersOf(of);
        return readers && new Narrowing(of, readers);
      };
      /** Events of a model that an audience may be able to see. */
      const candidates = async (name: string, { related }: Audience): Promise<readonly RecordedEvent[]> => {
        const of = byModel.get(name) ?? [];
        const grant = related(name)?.grant;
        const reach = grant && reachOf(grant);
        if (of.length === 0 || reach === undefined) return [];
        // The statement alone decides for the first audience.
        if (visible.size === 1 || reach.terms.length === 0) return of;
        const narrowing = narrowed.get(name) ?? narrow(name, of);
        narrowed.set(name, narrowing);
        return (await narrowing)?.left(reach) ?? of;
      };
      const see = async (audience: Audience): Promise<VisibleEvents> => {
        const theirs: RecordedEvent[] = [];
        for (const name of audience.models) theirs.push(...(await candidates(name, audience)));
        // Events of several models are read separately; restore their common order.
        if (audience.models.size > 1) theirs.sort((a, b) => a.number - b.number);
        const seen = theirs.length === 0 ? [] : await visibleEvents(resources, audience.related, theirs);
        return { events: seen, actors: await namedActors(resources, seen) };
      };
      return async (audience: Audience): Promise<Uint8Array | undefined> => {
        const pending = visible.get(audience.reads) ?? Promise.resolve().then(() => see(audience));
        visible.set(audience.reads, pending);
        const seen = await pending;
        if (seen.events.length === 0) return undefined;
        const { key, shown } = await shownActors(resources, audience, seen.actors);
        const place = audience.reads + key;
        const encoded =
          frames.get(place) ?? encodeFrames(seen.events.map((event) => viewEvent(event, shown)));
        frames.set(place, encoded);
        return encoded;
      };
    },
  };
};

export type Audiences = ReturnType<typeof createAudiences>;
