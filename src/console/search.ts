/** The search of the administration area through every list that the caller may read. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import type { JsonSchema } from '../fields/field.ts';
import { defaultKey } from '../fields/keys.ts';
import { adminAuth, administratorOnly, adminTag } from '../http/administration.ts';
import { checkedModels } from '../http/call.ts';
import type { Call, Endpoint } from '../http/endpoint.ts';
import { entityPolicy } from '../http/entity-endpoint.ts';
import { valueSchemas } from '../http/schemas.ts';
import type { Clock } from '../kernel/clock.ts';
import type { JsonObject } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import { decide } from '../policy/decide.ts';
import type { Grant } from '../policy/grant.ts';
import type { Rule } from '../policy/rule.ts';
import type { Entity } from '../records/entity.ts';
import { createList, invalidParameter, parseQueryString } from '../records/list.ts';
import { adminArea } from '../resources/admin-area.ts';
import {
  type Findable,
  type FoundInList,
  findRecords,
  foundAtOnce,
  newestRows,
  ruleOf,
  type ServedResource,
} from '../resources/operations.ts';

/** Milliseconds after which a search does not wait for further results. */
const searchTimeoutMs = 2000;

/** Lists that one search looks through at a time. */
const atATime = 3;

/**
 * Characters of a search text.
 * @limit Lists | text of a search in the administration area | characters | 400
 */
const maxWords = 100;

/** A list of the administration area in which records are found. */
interface SearchableList extends Findable {
  readonly model: string;
  /** Path of the list below `/admin`. */
  readonly resource: string;
  readonly policy: Rule;
}

interface SearchedList {
  readonly place: SearchableList;
  /** Undefined where the time was over. */
  found?: FoundInList;
}

const { text } = valueSchemas;

const group = {
  model: text,
  resource: { type: 'string', description: 'Path of the list below /admin' },
  records: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        name: text,
        alias: { type: ['string', 'null'], description: "A user's name, the mask of a key" },
        match: {
          type: ['string', 'null'],
          description: 'The part of another field that has the words, if neither name nor alias has them',
        },
      },
      required: ['id', 'name', 'alias', 'match'],
    },
  },
  more: { type: 'boolean', description: 'Whether there are further ones' },
  searched: {
    type: 'string',
    enum: ['whole', 'newest', 'late'],
    description: `Every record; the newest ${newestRows}, and the whole by number and by the beginnings of fields with an index; or not to the end, for want of time`,
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

const schema: JsonSchema = {
  title: 'FoundRecords',
  type: 'array',
  items: { type: 'object', properties: group, required: Object.keys(group) },
};

/** Returns the text that is searched for. @throws Problem `invalid_parameter` */
const wordsIn = (query: string): string => {
  const parameters = parseQueryString(query);
  const stray = parameters.find(({ name }) => name !== 'q' && name !== '_');
  if (stray !== undefined) throw invalidParameter(stray.name);
  const given = parameters.filter(({ name }) => name === 'q');
  const words = given[0]?.value.trim() ?? '';
  if (given.length !== 1 || words === '' || words.length > maxWords) throw invalidParameter('q');
  return words;
};

export interface SearchParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly resources: ReadonlyMap<string, ServedResource>;
}

const placesOf = (
  { database, clock, resources }: SearchParts,
  entities: readonly Entity[],
): readonly SearchableList[] => {
  const models = new Map([...resources].map(([name, { model }]) => [name, model]));
  return [
    ...entities.flatMap((entity): SearchableList[] => {
      const { found, model = entity.title, name } = entity;
      if (found === undefined) return [];
      const list = createList(database, entity, { clock });
      return [
        {
          model,
          resource: name,
          policy: entityPolicy(entity),
          source: entity,
          key: defaultKey,
          list,
          display: `{${found.named}}`,
          alias: found.alias,
        },
      ];
    }),
    ...[...resources.values()].map(
      (resource): SearchableList => ({
        model: resource.model.name,
        resource: `records/${resource.model.path}`,
        policy: ruleOf(resource.model, models, 'list', adminArea),
        source: resource.records.source,
        key: resource.model.key,
        list: resource.list,
        display: resource.model.display,
      }),
    ),
  ];
};

/** Searches the places, a few at a time, until the time is over. */
const lookThrough = async (
  places: readonly { readonly place: SearchableList; readonly grant: Grant }[],
  words: string,
  call: Call,
): Promise<readonly SearchedList[]> => {
  const over = new AbortController();
  const signal = AbortSignal.any([call.signal, over.signal]);
  const by = { caller: call.caller, signal, cut: (reason: Error) => call.cut(reason) };
  const found = places.map(({ place }): SearchedList => ({ place }));
  const waiting = places.entries();
  const look = async (): Promise<void> => {
    for (const [index, { place, grant }] of waiting) {
      if (signal.aborted) return;
      try {
        const of = await findRecords(place, grant, words, by);
        found[index] = { place, found: of };
      } catch (error) {
        // A place that had no turn in time is late.
        if (!(error instanceof Problem) || error.kind !== 'overloaded') throw error;
      }
    }
  };
  const all = Promise.all(Array.from({ length: atATime }, look));
  const timer = new AbortController();
  try {
    await Promise.race([all, delay(searchTimeoutMs, undefined, { signal: timer.signal })]);
  } finally {
    timer.abort();
    over.abort();
    // Searches under way are bounded, and their results are not used any more.
    all.catch(() => {});
  }
  return [...found];
};

const answerOf = ({ place, found }: SearchedList): JsonObject => ({
  model: place.model,
  resource: place.resource,
  records: (found?.records ?? []).map(({ id, name, alias, match }) => ({ id, name, alias, match })),
  more: found?.more ?? false,
  searched: found === undefined ? 'late' : found.whole ? 'whole' : 'newest',
});

/** True if a list has results, or was not searched to its end. */
const isShown = ({ found }: SearchedList): boolean =>
  found === undefined || !found.whole || found.records.length > 0;

/** Finds records of every list that the caller may read, without knowing in which one they are. */
export const searchEndpoint = (services: SearchParts, entities: readonly Entity[]): Endpoint => {
  const places = placesOf(services, entities);
  return {
    operation: 'search',
    method: 'GET',
    path: '/admin/search',
    auth: adminAuth,
    policy: administratorOnly,
    grantsOn: checkedModels([...services.resources.values()].map(({ model }) => model)),
    accepts: 'nothing',
    docs: {
      summary: { 'zh-CN': '在所有列表中查找', en: 'Search through every list' },
      description: {
        'zh-CN': `在调用者可读的用户、API 密钥、Webhook、任务与各模型的记录中查找：与各列表的 \`q\` 相同的字段，以及编号（\`17\`、\`#17\`）。每个列表至多 ${foundAtOnce} 条，新的在前；大表只看最新的 ${newestRows} 条，另按编号与带索引字段的开头查找全表。至多等 ${searchTimeoutMs / 1000} 秒，未及查完的列表标为 \`late\`。`,
        en: `Finds users, API keys, webhooks, jobs and records of every model that the caller may read: in the fields that the \`q\` of each list searches, and by number (\`17\`, \`#17\`). ${foundAtOnce} of each list at most, the newest first; of a large table the newest ${newestRows} are looked through, and the whole by number and by the beginnings of fields with an index. It takes ${searchTimeoutMs / 1000} s at most: lists that were not done are \`late\`.`,
      },
      tag: adminTag,
      data: schema,
      query: [
        {
          name: 'q',
          required: true,
          description: { 'zh-CN': '查找的文字或编号', en: 'Words, or a number' },
          schema: { type: 'string', minLength: 1, maxLength: maxWords },
        },
      ],
      problems: ['invalid_parameter'],
    },
    handle: async (call) => {
      const words = wordsIn(call.query);
      const readable = places.flatMap((place) => {
        const decision = decide(place.policy, call.principal);
        return decision.allowed ? [{ place, grant: decision.grant }] : [];
      });
      const found = await lookThrough(readable, words, call);
      return { data: found.filter(isShown).map(answerOf) };
    },
  };
};
