import type { Principal } from '../auth/principal.ts';
import type { AreaRules } from '../operations/area.ts';
import { relatedFor } from '../operations/related.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import type { RecordedEvent } from '../store/events/event-log.ts';
import type { Narrowing } from '../store/events/narrowing.ts';
import type { Related } from '../store/relations/related.ts';
import { reachOf } from '../store/rows/reach.ts';
import { type ToldEvent, toldOf } from './told.ts';

/** What somebody follows, and by whose rules. */
export interface Following {
  readonly area: AreaRules;
  /** Names of models with `events: true`. */
  readonly models: readonly string[];
}

/** Those who are told the same: they follow the same models, and read the same rows and fields of them. */
export interface Audience {
  readonly key: string;
  readonly models: ReadonlySet<string>;
  readonly related: Related;
}

const json = new TextEncoder();

/** Events as they are sent (HTML Living Standard, 9.2): bytes, so that all who are told the same share them. */
const framesOf = (told: readonly ToldEvent[]): Uint8Array | undefined => {
  if (told.length === 0) return undefined;
  return json.encode(told.map((event) => `id: ${event.number}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
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
        const reach = grant && reachOf(grant);
        return grant === undefined ? [] : [[name, reach?.key ?? null, reach?.values ?? null, grant.readable]];
      });
      if (readable.length === 0) return undefined;
      return { key: JSON.stringify(readable), models: new Set(followed), related };
    },

    /** Answers what each audience is told of events at this moment; undefined where that is nothing. */
    telling: (events: readonly RecordedEvent[]) => {
      const byModel = Map.groupBy(events, ({ model }) => model);
      const narrowed = new Map<string, Promise<Narrowing | undefined>>();
      let asked = 0;
      /** Those of a model that an audience may be told perhaps. */
      const left = async (name: string, { related }: Audience): Promise<readonly RecordedEvent[]> => {
        const of = byModel.get(name) ?? [];
        const grant = related(name)?.grant;
        const reach = grant && reachOf(grant);
        if (of.length === 0 || reach === undefined) return [];
        // For the first who asks, the statement alone says it.
        if (asked === 1 || reach.terms.length === 0) return of;
        const narrowing = narrowed.get(name) ?? resources.get(name)?.eventReaders.narrow(of);
        if (narrowing === undefined) return of;
        narrowed.set(name, narrowing);
        return (await narrowing)?.left(reach) ?? of;
      };
      return async (audience: Audience): Promise<Uint8Array | undefined> => {
        asked += 1;
        const theirs: RecordedEvent[] = [];
        for (const name of audience.models) theirs.push(...(await left(name, audience)));
        if (theirs.length === 0) return undefined;
        // Models may have been told apart; what happened has one order.
        if (audience.models.size > 1) theirs.sort((a, b) => a.number - b.number);
        return framesOf(await toldOf(resources, audience.related, theirs));
      };
    },
  };
};

export type Audiences = ReturnType<typeof createAudiences>;
