/** Endpoints that show an administrator the records that another user sees. */

import type { CallerStore } from '../../accounts/users.ts';
import type { Identities } from '../../auth/ports.ts';
import { takes, type UserPrincipal } from '../../auth/principal.ts';
import type { RecordId } from '../../fields/key.ts';
import { adminAuth, administratorOnly, adminTag, readsInArea } from '../../http/administration.ts';
import { actorOf, checkedModels, idOf, recordOf } from '../../http/call.ts';
import type { Call, Endpoint, QueryDocs } from '../../http/endpoint.ts';
import { JsonText, OwnedBytes } from '../../kernel/json.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { problemText } from '../../kernel/problem-text.ts';
import { createCommands } from '../../ledger/command.ts';
import type { TableContext } from '../../ledger/context.ts';
import type { Models } from '../../model/models.ts';
import { decide, modelsOfGrants } from '../../policy/decide.ts';
import type { Grant } from '../../policy/grant.ts';
import { apiArea } from '../../resources/area.ts';
import { ruleOf, type ServedResource } from '../../resources/operations.ts';

/** The methods by which users call the API themselves, in the order in which one is chosen. */
const ownMethods = ['jwt', 'api_key'] as const;

const queries: readonly QueryDocs[] = [
  {
    name: 'page',
    description: { 'zh-CN': '页码，默认 1', en: 'Page number, default 1' },
    schema: { type: 'integer', minimum: 1 },
  },
  {
    name: 'per_page',
    description: { 'zh-CN': '每页条数，默认 20，至多 100', en: 'Records a page, default 20, at most 100' },
    schema: { type: 'integer', minimum: 1, maximum: 100 },
  },
  {
    name: 'sort',
    description: {
      'zh-CN': '排序，与该资源的列表相同；默认 -id',
      en: 'Order, as in the list of the resource; default -id',
    },
    schema: { type: 'string' },
  },
  {
    name: 'q',
    description: { 'zh-CN': '搜索，与该资源的列表相同', en: 'Search, as in the list of the resource' },
    schema: { type: 'string' },
  },
  {
    name: 'filter[field]',
    description: {
      'zh-CN': '筛选，与该资源的列表相同；只能用该用户可见的字段',
      en: 'Filter, as in the list of the resource; only by fields that this user sees',
    },
    schema: { type: 'string' },
  },
];

/** Parameters and their defaults; the list of the resource reads the values. */
const standard = { page: '1', per_page: '20', sort: '-id' } as const;

const known: ReadonlySet<string> = new Set([...Object.keys(standard), 'q']);

/** The forms of values that are narrower than those of the list. */
const forms: Readonly<Record<string, RegExp>> = {
  page: /^[1-9]\d{0,8}$/,
  per_page: /^(?:[1-9]\d?|100)$/,
};

/**
 * The query of the list: nothing but the page, the order, a search and filters. Related records and other forms of a
 * response cannot be asked for. @throws Problem `invalid_parameter`
 */
const queryIn = (query: string): string => {
  const asked = new URLSearchParams(query);
  for (const [name, value] of asked)
    if (
      !(known.has(name) || name.startsWith('filter[')) ||
      asked.getAll(name).length > 1 ||
      forms[name]?.test(value) === false
    )
      throw new Problem('invalid_parameter', { params: { name } });
  for (const [name, value] of Object.entries(standard)) if (!asked.has(name)) asked.set(name, value);
  return asked.toString();
};

interface Looked {
  readonly resource: ServedResource;
  /** The grant of the colleague. */
  readonly grant: Grant;
  /** Fields that the administrator reads, and the colleague neither in the list nor in a record. */
  readonly hidden: readonly string[];
  /** The record that the path names; null for a list. */
  readonly id: RecordId | null;
}

export interface ViewAsParts extends TableContext {
  readonly resources: ReadonlyMap<string, ServedResource>;
  readonly identities: Identities;
  /** Users and keys that an administrator asks about. */
  readonly callers: CallerStore;
  readonly catalogue: Catalogue;
  readonly baseUrl: string;
}

/** Looks at records with the grants that a colleague would have. */
class ColleagueView {
  readonly #services: ViewAsParts;
  readonly #models: Models;
  readonly #change: ReturnType<typeof createCommands>;

  constructor(services: ViewAsParts) {
    this.#services = services;
    this.#models = new Map([...services.resources.values()].map(({ model }) => [model.name, model]));
    this.#change = createCommands(services);
  }

  /** @throws Problem `forbidden`, `record_not_found`, `user_disabled`, `colleague_refused` */
  async look(call: Call, action: 'list' | 'detail'): Promise<Looked> {
    const path = call.params['resource'];
    const resource = [...this.#services.resources.values()].find(({ model }) => model.path === path);
    if (resource === undefined) throw new Problem('record_not_found');
    const { model } = resource;
    const record = action === 'list' ? null : recordOf(call, model.key, 'record');
    const own = readsInArea(call.principal, model);
    if (own === undefined) throw new Problem('forbidden');
    const rules = {
      list: ruleOf(model, this.#models, 'list', apiArea),
      detail: ruleOf(model, this.#models, 'detail', apiArea),
    };
    const checked = [...new Set([...modelsOfGrants(rules.list), ...modelsOfGrants(rules.detail)])];
    const user = await this.#identify(idOf(call), checked, apiArea.auth(model, action));
    await this.#change(actorOf(call), async () => ({
      audit: {
        action: 'user.view_as',
        target: { kind: 'user', id: user.id, name: user.username },
        detail: { model: model.name, record },
      },
      result: undefined,
    }));
    const decisions = { list: decide(rules.list, user), detail: decide(rules.detail, user) };
    const decision = decisions[action];
    if (!decision.allowed) throw this.#refusal(decision.problem);
    const seen = new Set(
      Object.values(decisions).flatMap((each) => (each.allowed ? [...each.grant.readable] : [])),
    );
    const hidden = own.readable.filter((name) => !seen.has(name));
    return { resource, grant: decision.grant, hidden, id: record };
  }

  async #identify(id: number, of: readonly string[], auth: Endpoint['auth']): Promise<UserPrincipal> {
    const { callers, identities } = this.#services;
    const known = await callers.user(id);
    if (known === undefined) throw new Problem('record_not_found');
    const identity = await identities.byUserId(id, of);
    if (identity === undefined) throw new Problem('user_disabled');
    const principals = ownMethods.map((method): UserPrincipal => ({ ...identity, method }));
    const principal = principals.find((each) => takes(auth, each));
    if (principal === undefined) throw this.#refusal(new Problem('unauthenticated'));
    return principal;
  }

  #refusal(problem: Problem): Problem {
    return new Problem('colleague_refused', {
      params: { answer: problemText(this.#services.catalogue, problem) },
    });
  }
}

/** The parts that both endpoints have in common. */
const commonTo = ({ resources }: ViewAsParts) =>
  ({
    method: 'GET',
    auth: adminAuth,
    policy: administratorOnly,
    grantsOn: checkedModels([...resources.values()].map(({ model }) => model)),
    accepts: 'nothing',
  }) as const;

const problems = ['record_not_found', 'user_disabled', 'colleague_refused'] as const;

const listEndpoint = (services: ViewAsParts, view: ColleagueView): Endpoint => {
  const { origin } = new URL(services.baseUrl);
  return {
    ...commonTo(services),
    operation: 'listAsUser',
    path: '/admin/users/:id/view/:resource',
    docs: {
      summary: { 'zh-CN': '以同事的视角查看列表', en: 'List records as a colleague sees them' },
      description: {
        'zh-CN':
          '该用户通过接口会看到的记录与字段，可搜索、排序、筛选。只读，每次查看都记入审计；仅限调用者自己可读的模型。',
        en: 'The records and fields that this user sees through the API, searched, sorted and filtered. Read-only; the audit log records each view. Only models that the caller can read are shown.',
      },
      tag: adminTag,
      data: { type: 'array', items: { type: 'object' } },
      query: queries,
      headers: {
        'X-Total-Count': { 'zh-CN': '该用户可见的记录总数', en: 'Records that this user sees' },
        'X-Hidden-Fields': {
          'zh-CN': '调用者可见而该用户不可见的字段，以逗号分隔',
          en: 'Fields that the caller sees and this user does not, separated by commas',
        },
      },
      problems: ['invalid_parameter', 'unusable_field', ...problems],
    },
    handle: async (call) => {
      const query = queryIn(call.query);
      const { resource, grant, hidden } = await view.look(call, 'list');
      const answer = await resource.list(grant, {
        query,
        path: origin + call.path,
        by: call,
      });
      if (!('json' in answer)) throw new Error('a page is one JSON text');
      const { json, headers } = answer;
      return {
        data: new JsonText(typeof json === 'string' ? json : new OwnedBytes(json)),
        headers: {
          'X-Total-Count': headers['X-Total-Count'] ?? '0',
          'X-Hidden-Fields': hidden.join(','),
        },
      };
    },
  };
};

const recordEndpoint = (services: ViewAsParts, view: ColleagueView): Endpoint => ({
  ...commonTo(services),
  operation: 'getAsUser',
  path: '/admin/users/:id/view/:resource/:record',
  docs: {
    summary: { 'zh-CN': '以同事的视角查看记录', en: 'Show a record as a colleague sees it' },
    description: {
      'zh-CN': '该用户不可见的记录如同不存在：404。只读，每次查看都记入审计。',
      en: 'A record that this user cannot access returns 404. Read-only; the audit log records each view.',
    },
    tag: adminTag,
    data: { type: 'object' },
    problems: [...problems],
  },
  handle: async (call) => {
    const { resource, grant, id } = await view.look(call, 'detail');
    const found = id === null ? undefined : await resource.show(grant, id);
    if (found === undefined) throw new Problem('record_not_found');
    return { data: new JsonText(found.json) };
  },
});

/**
 * The records of a resource that a colleague sees through the API. The administrator does not become that user: no
 * session, token or key is made. The list and the detail of a resource are read with the grant that the colleague would
 * have, by page, order, search and filters, and nothing else can be asked for; so nothing can be written, signed or
 * changed, and the colleague's account, keys and sessions stay out of reach. Administrators look only at models whose
 * records they may read themselves, so that nothing is shown that they could not see. Each look is in the audit log
 * before its answer.
 */
export const viewAsEndpoints = (services: ViewAsParts): Endpoint[] => {
  const view = new ColleagueView(services);
  return [listEndpoint(services, view), recordEndpoint(services, view)];
};
