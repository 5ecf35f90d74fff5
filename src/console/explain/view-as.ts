/** Endpoints that show an administrator the records that another user sees. */

import type { CallerStore } from '../../accounts/users.ts';
import type { Identities } from '../../auth/ports.ts';
import { takes, type UserPrincipal } from '../../auth/principal.ts';
import { adminAuth, administratorOnly, adminTag, readsInArea } from '../../http/administration.ts';
import { actorOf, checkedModels, idOf } from '../../http/call.ts';
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

const whole: QueryDocs = {
  name: 'page',
  description: { 'zh-CN': '页码，默认 1', en: 'Page number, default 1' },
  schema: { type: 'integer', minimum: 1 },
};

/** Records that one page shows. */
const perPage = 20;

/** The only parameter: looking at a list needs no other. */
const pageIn = (query: string): number => {
  const given = [...new URLSearchParams(query)];
  const [[name, value] = ['page', '1']] = given;
  if (given.length > 1 || name !== 'page' || !/^[1-9]\d{0,8}$/.test(value))
    throw new Problem('invalid_parameter', { params: { name: given.length > 1 ? 'page' : name } });
  return Number(value);
};

interface Looked {
  readonly resource: ServedResource;
  /** The grant of the colleague. */
  readonly grant: Grant;
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
  async look(call: Call, action: 'list' | 'detail', record: number | null): Promise<Looked> {
    const path = call.params['resource'];
    const resource = [...this.#services.resources.values()].find(({ model }) => model.path === path);
    if (resource === undefined) throw new Problem('record_not_found');
    const { model } = resource;
    if (readsInArea(call.principal, model) === undefined) throw new Problem('forbidden');
    const rule = ruleOf(model, this.#models, action, apiArea);
    const user = await this.#identify(idOf(call), modelsOfGrants(rule), apiArea.auth(model, action));
    await this.#change(actorOf(call), async () => ({
      audit: {
        action: 'user.view_as',
        target: { kind: 'user', id: user.id, name: user.username },
        detail: { model: model.name, record },
      },
      result: undefined,
    }));
    const decision = decide(rule, user);
    if (!decision.allowed) throw this.#refusal(decision.problem);
    return { resource, grant: decision.grant };
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
        'zh-CN': `该用户通过接口会看到的记录与字段，每页 ${perPage} 条。只读，每次查看都记入审计；仅限调用者自己可读的模型。`,
        en: `The records and fields that this user sees through the API, ${perPage} a page. It reads only, each look is in the audit log, and only models are shown that the caller may read.`,
      },
      tag: adminTag,
      data: { type: 'array', items: { type: 'object' } },
      query: [whole],
      headers: {
        'X-Total-Count': { 'zh-CN': '该用户可见的记录总数', en: 'Records that this user sees' },
      },
      problems: ['invalid_parameter', ...problems],
    },
    handle: async (call) => {
      const query = `page=${pageIn(call.query)}&per_page=${perPage}&sort=-id`;
      const { resource, grant } = await view.look(call, 'list', null);
      const answer = await resource.list(grant, {
        query,
        path: origin + call.path,
        by: call,
      });
      if (!('json' in answer)) throw new Error('a page is one JSON text');
      const { json, headers } = answer;
      return {
        data: new JsonText(typeof json === 'string' ? json : new OwnedBytes(json)),
        headers: { 'X-Total-Count': headers['X-Total-Count'] ?? '0' },
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
      en: 'A record that this user does not reach is missing: 404. It reads only, and each look is in the audit log.',
    },
    tag: adminTag,
    data: { type: 'object' },
    problems: [...problems],
  },
  handle: async (call) => {
    const id = idOf(call, 'record');
    const { resource, grant } = await view.look(call, 'detail', id);
    const found = await resource.show(grant, id);
    if (found === undefined) throw new Problem('record_not_found');
    return { data: new JsonText(found.json) };
  },
});

/**
 * The records of a resource that a colleague sees through the API. The administrator does not become that user: no
 * session, token or key is made. The list and the detail of a resource are read with the grant that the colleague would
 * have, and nothing else can be asked for; so nothing can be written, signed or changed, and the colleague's account,
 * keys and sessions stay out of reach. Administrators look only at models whose records they may read themselves, so
 * that nothing is shown that they could not see. Each look is in the audit log before its answer.
 */
export const viewAsEndpoints = (services: ViewAsParts): Endpoint[] => {
  const view = new ColleagueView(services);
  return [listEndpoint(services, view), recordEndpoint(services, view)];
};
