/**
 * The activity of a service: the latest changes of all records that an administrator may read, from the log of events.
 * The same rules decide about them as about a stream of events (`docs/reference/events.md`).
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Principal } from '../../auth/principal.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { defaultKey } from '../../fields/keys.ts';
import { parsePositive } from '../../fields/values.ts';
import { adminAuth, administratorOnly, adminTag } from '../../http/administration.ts';
import { checkedModels } from '../../http/call.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { parseTimestamp } from '../../kernel/clock.ts';
import { type EventFilter, type EventLog, type EventRange, eventDays } from '../../ledger/event-log.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { invalidParameter, parseQueryString } from '../../records/list.ts';
import { adminArea } from '../../resources/admin-area.ts';
import { relatedFor, type ServedResource } from '../../resources/operations.ts';
import { actorSchema } from '../../resources/resource-endpoints.ts';
import { type EventView, viewEvents } from './event-view.ts';

/** Events of a page where the query names no number. */
const usualPerPage = 50;

/**
 * Events of a page.
 * @limit Lists | events of a page of `/admin/activity` | count | 400
 */
const maxPerPage = 200;

/** Numbers of the log that one statement searches, and statements of one request: a page may have fewer events. */
const search = { numbers: 5_000, statements: 20 } as const;

/** Events that are read, and shown to the reader, at a time. */
const batch = 200;

/** Milliseconds by which events may be out of the order of their times. */
const disorderMs = 60_000;

const actions = ['create', 'update', 'destroy'] as const;

/** A page of the activity, as the query asks for it. Times are milliseconds since the epoch. */
interface ActivityPage extends EventFilter {
  readonly perPage: number;
  /** The number before which the page begins; undefined: at the end of the log. */
  readonly after: number | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

type Names = ReadonlyMap<string, string>;

/** Reads a parameter of the query; a value that `read` does not understand is refused. */
const readParameter = <Value>(
  values: ReadonlyMap<string, string>,
  name: string,
  read: (text: string) => Value | undefined,
): Value | undefined => {
  const text = values.get(name);
  if (text === undefined) return undefined;
  const value = read(text);
  if (value === undefined) throw invalidParameter(name);
  return value;
};

const parameterNames = ['after', 'per_page', 'model', 'action', 'user_id', 'since', 'until', '_'];

/** @throws Problem `invalid_parameter` */
const pageIn = (query: string, models: Names): ActivityPage => {
  const values = new Map<string, string>();
  for (const { name, value } of parseQueryString(query)) {
    if (!parameterNames.includes(name) || values.has(name)) throw invalidParameter(name);
    values.set(name, value);
  }
  return {
    after: readParameter(values, 'after', parsePositive),
    perPage:
      readParameter(values, 'per_page', (text) => {
        const size = parsePositive(text);
        return size !== undefined && size <= maxPerPage ? size : undefined;
      }) ?? usualPerPage,
    model: readParameter(values, 'model', (text) => models.get(text)),
    action: readParameter(values, 'action', (text) => actions.find((each) => each === text)),
    user: readParameter(values, 'user_id', defaultKey.parse),
    since: readParameter(values, 'since', parseTimestamp),
    until: readParameter(values, 'until', parseTimestamp),
  };
};

export interface ActivityParts {
  readonly events: EventLog;
  readonly resources: ReadonlyMap<string, ServedResource>;
}

/** The part of the log in which events of the page may be. */
const partOf = async (
  log: EventLog,
  { after, since, until }: ActivityPage,
): Promise<{ readonly from: number; readonly below: number }> => {
  const range: EventRange = await log.range();
  const from = since === undefined ? range.first : await log.numberAt(since - disorderMs, range);
  const end = until === undefined ? range.last + 1 : await log.numberAt(until + disorderMs, range);
  return { from, below: Math.min(after ?? end, end) };
};

/** Returns whether an event is of the asked time and, as the reader sees its actor, of the asked user. */
const isAsked =
  ({ since, until, user }: ActivityPage) =>
  ({ at, actor }: EventView): boolean => {
    const time = Date.parse(at);
    if ((since !== undefined && time < since) || (until !== undefined && time >= until)) return false;
    return user === undefined || (actor['kind'] === 'user' && actor['id'] === String(user));
  };

interface Activity {
  readonly events: readonly EventView[];
  /** The number before which the next page begins; null where there is nothing earlier. */
  readonly next: string | null;
}

/** Reads a page of the activity as a reader sees it. */
const readActivity = async (
  { events: log, resources }: ActivityParts,
  page: ActivityPage,
  principal: Principal,
  signal: AbortSignal,
): Promise<Activity> => {
  const models = new Map([...resources].map(([name, { model }]) => [name, model]));
  const reader = { principal, related: relatedFor({ models }, { principal, area: adminArea }) };
  const asked = isAsked(page);
  const { model, action, user } = page;
  // Events of the inbox have no number yet.
  if (page.after === undefined) await log.settle();
  const { from, below: start } = await partOf(log, page);
  const shown: EventView[] = [];
  let below = start;
  for (let statements = 0; below > from && statements < search.statements; statements += 1) {
    const part = { from: Math.max(from, below - search.numbers), below };
    const read = await log.earlier(part, { model, action, user }, batch);
    const last = read.at(-1);
    below = read.length < batch || last === undefined ? part.from : last.number;
    const seen = (await viewEvents(resources, reader, read)).filter(asked);
    const room = page.perPage - shown.length;
    shown.push(...seen.slice(0, room));
    if (seen.length > room) below = shown.at(-1)?.number ?? below;
    if (shown.length === page.perPage || signal.aborted) break;
    // Reads of SQLite end among microtasks: let requests have a turn of the event loop.
    await nextTurn();
  }
  return { events: shown, next: below > from ? String(below) : null };
};

const eventSchema: JsonSchema = {
  title: 'ActivityEvent',
  type: 'object',
  properties: {
    number: { type: 'integer', minimum: 1, description: 'position in the log of events' },
    model: { type: 'string' },
    id: { type: 'integer' },
    action: { type: 'string', enum: [...actions] },
    at: { type: 'string', format: 'date-time' },
    actor: actorSchema,
    version: { type: 'integer' },
    fields: {
      type: 'array',
      items: { type: 'string' },
      description: 'the changed fields that the caller may read',
    },
  },
  required: ['number', 'model', 'id', 'action', 'at', 'actor', 'version', 'fields'],
};

const activitySchema: JsonSchema = {
  title: 'Activity',
  type: 'object',
  properties: {
    events: { type: 'array', items: eventSchema },
    next: {
      type: ['string', 'null'],
      description:
        '`after` of the next page, which may have events even where this one has none; null at the end',
    },
    kept_days: { type: 'integer', description: 'days for which events are kept' },
  },
  required: ['events', 'next', 'kept_days'],
};

const queryDocs = (models: readonly ResourceModel[]): Endpoint['docs']['query'] => [
  {
    name: 'after',
    description: { 'zh-CN': '上一页的 `next`', en: '`next` of the page before' },
    schema: { type: 'string' },
  },
  {
    name: 'per_page',
    description: {
      'zh-CN': `每页条数，默认 ${usualPerPage}`,
      en: `Events of a page; default ${usualPerPage}`,
    },
    schema: { type: 'integer', minimum: 1, maximum: maxPerPage },
  },
  {
    name: 'model',
    description: { 'zh-CN': '模型名或其路径', en: 'Name of a model, or its path' },
    schema: { type: 'string', examples: models.slice(0, 1).map(({ name }) => name) },
  },
  {
    name: 'action',
    description: { 'zh-CN': '操作', en: 'Kind of change' },
    schema: { type: 'string', enum: [...actions] },
  },
  {
    name: 'user_id',
    description: { 'zh-CN': '做出更改的用户', en: 'Id of the user who made the change' },
    schema: { type: 'integer', minimum: 1 },
  },
  {
    name: 'since',
    description: { 'zh-CN': '此时刻起', en: 'Events from this time on' },
    schema: { type: 'string', format: 'date-time' },
  },
  {
    name: 'until',
    description: { 'zh-CN': '早于此时刻', en: 'Events before this time' },
    schema: { type: 'string', format: 'date-time' },
  },
];

/** The endpoint with the latest changes of all records; none where no model has events. */
export const activityEndpoints = (services: ActivityParts): Endpoint[] => {
  const { resources } = services;
  const models = [...resources.values()].flatMap(({ model }) => (model.events ? [model] : []));
  if (models.length === 0) return [];
  const names: Names = new Map(
    models.flatMap(({ name, path }) => [
      [path, name],
      [name, name],
    ]),
  );
  return [
    {
      operation: 'listActivity',
      method: 'GET',
      path: '/admin/activity',
      auth: adminAuth,
      policy: administratorOnly,
      // The record that the reason of an event names is of any model.
      grantsOn: checkedModels([...resources.values()].map(({ model }) => model)),
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '所有记录的最近更改', en: 'The latest changes of all records' },
        description: {
          'zh-CN': `谁在何时更改了哪条记录，新的在前：声明 \`events: true\` 的模型的事件，仅含调用者此刻可读的记录与字段。事件保留 ${eventDays} 天。一次请求至多查找 ${search.numbers * search.statements} 条事件，\`next\` 由此继续。`,
          en: `Changes of records with their authors and times, newest first: events of models with \`events: true\`, with the records and fields that the caller may read now. Events are kept for ${eventDays} days. A request searches ${search.numbers * search.statements} events at most; \`next\` continues there.`,
        },
        tag: adminTag,
        data: activitySchema,
        query: queryDocs(models),
        problems: ['invalid_parameter', 'database_unavailable'],
      },
      handle: async (call: Call) => {
        const page = pageIn(call.query, names);
        const activity = await readActivity(services, page, call.principal, call.signal);
        return { data: { ...activity, events: [...activity.events], kept_days: eventDays } };
      },
    },
  ];
};
