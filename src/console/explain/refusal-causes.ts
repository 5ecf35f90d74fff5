/** The endpoint that groups refused requests by caller, endpoint and code. */

import type { JsonSchema } from '../../fields/field.ts';
import { adminAuth, administratorOnly, adminTag } from '../../http/administration.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { Routes } from '../../http/routes.ts';
import { objectSchema, valueSchemas } from '../../http/schemas.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { GroupedRefusal, RefusalStore } from '../../upkeep/refusals.ts';

/** Most causes of a response, and most requests of a cause. */
const maxCauses = 100;
const maxRequests = 20;

const { text, integer, time } = valueSchemas;

const request = { path: text, address: text, refusals: integer, refused_at: time } as const;

const properties = {
  caller_kind: { type: 'string', enum: ['user', 'api_key', 'application'] },
  caller_id: { type: 'string', description: 'id of the user or of the key, app_id of the application' },
  caller_name: { type: 'string', description: 'username, for a key that of its owner' },
  method: text,
  route: { type: 'string', description: 'path of the endpoint, such as `/api/v1/orders/:id`' },
  code: integer,
  refusals: { type: 'integer', description: 'number of refused requests within 24 hours' },
  refused_at: { ...time, description: 'time of the last one' },
  requests: {
    type: 'array',
    description: `the most frequent paths, at most ${maxRequests}`,
    items: objectSchema('RefusedPath', request),
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

const schema: JsonSchema = {
  type: 'array',
  maxItems: maxCauses,
  items: objectSchema('RefusalCause', properties),
};

/** Each database has times of its own. */
const timeOf = ({ refused_at: at }: GroupedRefusal): string => toTimestamp(new Date(at).getTime());

export interface RefusalCauseParts {
  readonly refusals: RefusalStore;
  readonly routes: Routes;
}

/** Refused requests by cause: caller, endpoint and code, the most frequent first. */
export const refusalCausesEndpoint = ({ refusals, routes }: RefusalCauseParts): Endpoint => ({
  operation: 'listRefusalCauses',
  method: 'GET',
  path: '/admin/refusals/causes',
  auth: adminAuth,
  policy: administratorOnly,
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '被拒绝的请求，按原因', en: 'Rejected requests by cause' },
    description: {
      'zh-CN':
        '24 小时内被拒绝的请求，按调用者、接口与错误码归并，次数多的在前，最多 100 条；每条附次数最多的路径。',
      en: 'Refused requests within 24 hours by caller, endpoint and code, the most frequent first, at most 100; each with its most frequent paths.',
    },
    tag: adminTag,
    data: schema,
  },
  handle: async () => {
    await refusals.flush();
    const routeOf = ({ method, path }: GroupedRefusal): string =>
      routes.find(method, path).endpoint?.path ?? path;
    const rows = (await refusals.grouped()).map((row) => ({ ...row, route: routeOf(row) }));
    const causes = Map.groupBy(rows, ({ caller_kind, caller_id, method, route, code }) =>
      [caller_kind, caller_id, method, route, code].join(' '),
    );
    const data = [...causes.values()].flatMap((requests) => {
      const [first] = requests;
      if (first === undefined) return [];
      const { caller_kind, caller_id, caller_name, method, route, code } = first;
      return {
        caller_kind,
        caller_id,
        caller_name,
        method,
        route,
        code: Number(code),
        refusals: requests.reduce((sum, each) => sum + Number(each.refusals), 0),
        refused_at: requests.map(timeOf).toSorted().at(-1) ?? timeOf(first),
        requests: requests.slice(0, maxRequests).map((each) => ({
          path: each.path,
          address: each.address,
          refusals: Number(each.refusals),
          refused_at: timeOf(each),
        })),
      };
    });
    return { data: data.sort((one, other) => other.refusals - one.refusals).slice(0, maxCauses) };
  },
});
