import type { Principal } from '../auth/principal.ts';
import type { AreaRules } from '../operations/area.ts';
import { relatedFor } from '../operations/related.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import type { RecordedEvent } from '../store/events/event-log.ts';
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

    /** What an audience is told of events at this moment; undefined where that is nothing. */
    framesOf: async (
      { models: followed, related }: Audience,
      events: readonly RecordedEvent[],
    ): Promise<Uint8Array | undefined> => {
      const theirs = events.filter(({ model }) => followed.has(model));
      return theirs.length === 0 ? undefined : framesOf(await toldOf(resources, related, theirs));
    },
  };
};

export type Audiences = ReturnType<typeof createAudiences>;
