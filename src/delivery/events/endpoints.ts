/** Endpoints that stream events as they happen, to the API and to the administration area. */

import type { AuthMethodName } from '../../auth/registry.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { adminAuth, administratorOnly, adminTag } from '../../http/administration.ts';
import { checkedModels } from '../../http/call.ts';
import type { Answer, Call, Endpoint } from '../../http/endpoint.ts';
import type { Label } from '../../kernel/messages.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { invalidParameter, parseQueryString } from '../../records/list.ts';
import { adminArea } from '../../resources/admin-area.ts';
import { type Area, apiArea } from '../../resources/area.ts';
import type { ServedResource } from '../../resources/operations.ts';
import type { Changes } from './changes.ts';

/** Streams of events, as they happen: `docs/reference/events.md`. */

const resumes = 'last-event-id';

const numberForm = /^(?:0|[1-9]\d{0,15})$/;

/** The number of the last event that the caller has received. @throws Problem `invalid_parameter` */
const lastEventOf = (call: Call): number | undefined => {
  const text = call.header(resumes);
  // A browser that has received no number yet leaves the header out, other clients may send it empty.
  if (text === undefined || text === '') return undefined;
  const number = numberForm.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw invalidParameter('Last-Event-ID');
  return number;
};

/** The models that the query names, by their names or paths, each once. @throws Problem `invalid_parameter` */
const namedModels = (query: string, followed: ReadonlyMap<string, string>): readonly string[] => {
  const parameters = parseQueryString(query);
  const unknown = parameters.find(({ name }) => name !== 'models');
  if (unknown !== undefined) throw invalidParameter(unknown.name);
  const [models, second] = parameters;
  const said = models === undefined ? [] : models.value.split(',');
  const names = said.flatMap((name) => followed.get(name) ?? []);
  if (second !== undefined || said.length === 0 || names.length < said.length)
    throw invalidParameter('models');
  // In one order, so that all who follow the same models share one stream.
  return [...new Set(names)].sort();
};

const schemaOf = ([model]: readonly ResourceModel[]): JsonSchema => ({
  type: 'string',
  examples: [`id: 4711\ndata: {"number":4711,"model":"${model?.name}","id":7,"action":"update","…":"…"}\n\n`],
});

const texts = {
  summary: { 'zh-CN': '实时变更流', en: 'Follow changes' },
  description: {
    'zh-CN':
      '服务器发送事件（SSE）：每条事件的 `id` 为其编号，`data` 为 JSON。仅告知调用者此刻可读的记录；权限被收回后 5 秒内结束。断线后带 `Last-Event-ID` 重连即可继续，不漏不重。',
    en: 'Server-sent events: `id` is the number of an event, `data` its JSON. The stream contains only events that the caller may read at that moment, and ends within 5 s when the caller may no longer read any. With `Last-Event-ID` it continues after that event, without gaps or repetitions.',
  },
  models: {
    'zh-CN': '模型名或其路径，逗号分隔；均须声明 `events: true`',
    en: 'Names of models with `events: true`, or their paths, comma-separated',
  },
} as const satisfies Record<string, Label>;

interface Offered {
  readonly area: Area;
  readonly auth: readonly AuthMethodName[];
  readonly rest: Pick<Endpoint, 'operation' | 'path' | 'policy'> & { readonly tag: string };
}

export interface ChangesEndpointParts {
  /** The streams by which callers receive events. */
  readonly changes: Changes;
  readonly resources: ReadonlyMap<string, ServedResource>;
}

const changesEndpoint = (
  { changes, resources }: ChangesEndpointParts,
  models: readonly ResourceModel[],
  { area, auth, rest: { tag, ...rest } }: Offered,
): Endpoint => {
  // The record that the reason of an event names is of any model.
  const grantsOn = checkedModels([...resources.values()].map(({ model }) => model));
  const names = new Map(
    models.flatMap(({ name, path }) => [
      [name, name],
      [path, name],
    ]),
  );
  const handle = async (call: Call): Promise<Answer> => {
    const { principal, address, signal } = call;
    const stream = await changes.open({
      following: { area, models: namedModels(call.query, names) },
      after: lastEventOf(call),
      granted: grantsOn,
      principal,
      address,
      signal,
      auth,
      header: (name) => call.header(name),
      proxyHeader: (name) => call.proxyHeader(name),
      cut: (reason) => call.cut(reason),
    });
    return { raw: { type: 'text/event-stream', body: stream }, headers: { 'X-Accel-Buffering': 'no' } };
  };
  return {
    ...rest,
    method: 'GET',
    auth,
    grantsOn,
    accepts: 'nothing',
    docs: {
      summary: texts.summary,
      description: texts.description,
      tag,
      media: 'text/event-stream',
      data: schemaOf(models),
      query: [
        {
          name: 'models',
          description: texts.models,
          schema: { type: 'string', examples: models.slice(0, 1).map(({ name }) => name) },
          required: true,
        },
      ],
      resumes: true,
      headers: {
        'X-Accel-Buffering': {
          'zh-CN': '`no`：代理不得缓冲',
          en: '`no`: a proxy must not buffer the response',
        },
      },
      problems: [
        'invalid_parameter',
        'forbidden',
        'events_gone',
        'too_many_requests',
        'database_unavailable',
        'overloaded',
        'stopping',
      ],
    },
    handle,
  };
};

/** The stream of the API, and that of the administration area; none where no model has events. */
export const changesEndpoints = (services: ChangesEndpointParts): Endpoint[] => {
  const models = [...services.resources.values()].flatMap(({ model }) => (model.events ? [model] : []));
  if (models.length === 0) return [];
  return [
    changesEndpoint(services, models, {
      area: apiArea,
      auth: ['jwt', 'api_key'],
      rest: { operation: 'followChanges', path: '/api/v1/changes', policy: apiArea.entrance, tag: 'Changes' },
    }),
    changesEndpoint(services, models, {
      area: adminArea,
      auth: adminAuth,
      rest: {
        operation: 'adminFollowChanges',
        path: '/admin/changes',
        policy: administratorOnly,
        tag: adminTag,
      },
    }),
  ];
};
