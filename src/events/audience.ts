import type { Principal } from '../auth/principal.ts';
import type { AreaRules } from '../operations/area.ts';
import { relatedFor } from '../operations/related.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import {
  type ActorReader,
  actorsShownTo,
  type NamedActors,
  namedActors,
  shownActors,
} from '../operations/shown-actor.ts';
import type { Grant } from '../policy/grant.ts';
import { reachOf } from '../records/rows/reach.ts';
import type { RecordedEvent } from '../service/events/event-log.ts';
import type { Narrowing } from '../service/events/narrowing.ts';
import { seenOf, type ToldEvent, toldEvent } from './told.ts';

/** What somebody follows, and by whose rules. */
export interface Following {
  readonly area: AreaRules;
  /** Names of models with `events: true`. */
  readonly models: readonly string[];
}

/** Those who are told the same: they follow the same models, and read the same rows, fields and users. */
export interface Audience extends ActorReader {
  readonly key: string;
  /** The rows and fields of the followed models alone. */
  readonly reads: string;
  readonly models: ReadonlySet<string>;
}

/** Events that are told to all who read the same rows and fields, and the actors that they name. */
interface SeenEvents {
  readonly events: readonly RecordedEvent[];
  readonly actors: NamedActors;
}

const json = new TextEncoder();

/** Events as they are sent (HTML Living Standard, 9.2): bytes, so that all who are told the same share them. */
const framesOf = (told: readonly ToldEvent[]): Uint8Array | undefined => {
  if (told.length === 0) return undefined;
  return json.encode(told.map((event) => `id: ${event.number}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
};

/** What a grant comes to, for keys. */
const readsOf = (grant: Grant | undefined): readonly unknown[] => {
  const reach = grant && reachOf(grant);
  return [reach?.key ?? null, reach?.values ?? null];
};

/** Says who is told what. */
export const createAudiences = (resources: ReadonlyMap<string, ServedResource>) => {
  const models = new Map([...resources].map(([name, { model }]) => [name, model]));
  return {
    /** Undefined where somebody may read none of the models at all (any more). */
    of: ({ area, models: followed }: Following, principal: Principal): Audience | undefined => {
      const related = relatedFor({ models }, { principal, area });
      const readable = followed.flatMap((name) => {
        const grant = related(name)?.grant;
        return grant === undefined ? [] : [[name, ...readsOf(grant), grant.readable]];
      });
      if (readable.length === 0) return undefined;
      const reads = JSON.stringify(readable);
      // The records that reasons name are of any model.
      const others = [...models.keys()].map((name) => readsOf(related(name)?.grant));
      const key = JSON.stringify([reads, others, actorsShownTo({ principal, related })]);
      return { key, reads, models: new Set(followed), principal, related };
    },

    /** Answers what each audience is told of events at this moment; undefined where that is nothing. */
    telling: (events: readonly RecordedEvent[]) => {
      const byModel = Map.groupBy(events, ({ model }) => model);
      const narrowed = new Map<string, Promise<Narrowing | undefined>>();
      const known = new Map<string, Promise<SeenEvents>>();
      const frames = new Map<string, Uint8Array | undefined>();
      /** Those of a model that an audience may be told perhaps. */
      const left = async (name: string, { related }: Audience): Promise<readonly RecordedEvent[]> => {
        const of = byModel.get(name) ?? [];
        const grant = related(name)?.grant;
        const reach = grant && reachOf(grant);
        if (of.length === 0 || reach === undefined) return [];
        // For the first who asks, the statement alone says it.
        if (known.size === 1 || reach.terms.length === 0) return of;
        const narrowing = narrowed.get(name) ?? resources.get(name)?.eventReaders.narrow(of);
        if (narrowing === undefined) return of;
        narrowed.set(name, narrowing);
        return (await narrowing)?.left(reach) ?? of;
      };
      const see = async (audience: Audience): Promise<SeenEvents> => {
        const theirs: RecordedEvent[] = [];
        for (const name of audience.models) theirs.push(...(await left(name, audience)));
        // Models may have been asked apart; what happened has one order.
        if (audience.models.size > 1) theirs.sort((a, b) => a.number - b.number);
        const seen = theirs.length === 0 ? [] : await seenOf(resources, audience.related, theirs);
        return { events: seen, actors: namedActors(seen.map(({ actor }) => actor)) };
      };
      return async (audience: Audience): Promise<Uint8Array | undefined> => {
        const seeing = known.get(audience.reads) ?? Promise.resolve().then(() => see(audience));
        known.set(audience.reads, seeing);
        const seen = await seeing;
        if (seen.events.length === 0) return undefined;
        const { key, shown } = await shownActors(resources, audience, seen.actors);
        const place = audience.reads + key;
        const made = frames.get(place) ?? framesOf(seen.events.map((event) => toldEvent(event, shown)));
        frames.set(place, made);
        return made;
      };
    },
  };
};

export type Audiences = ReturnType<typeof createAudiences>;
