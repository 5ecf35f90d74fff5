/** Endpoints with the scopes that keys can have, and with the advice about keys that have too many. */

import { adminAuth, administratorOnly, adminTag } from '../../http/administration.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { languageOf, languageQuery } from '../../http/language.ts';
import type { Routes } from '../../http/routes.ts';
import { objectSchema } from '../../http/schemas.ts';
import { type Label, type Languages, type Locale, labelText } from '../../kernel/messages.ts';
import type { ServedResource } from '../../resources/operations.ts';
import { type KeyAdviceParts, keyAdviceReader, keyAdviceSchema } from './key-advice.ts';

const keyScopeSchema = objectSchema('ApiKeyScope', {
  scope: { type: 'string', description: 'as `scopes` of a key has it: `orders:read`, `POST /checkout`' },
  label: { type: 'string', description: 'the model, or the summary of the endpoint' },
});

const users: Label = { 'zh-CN': '用户', en: 'Users' };

export interface KeyScopeParts extends KeyAdviceParts {
  readonly languages: Languages;
  readonly resources: ReadonlyMap<string, ServedResource>;
  readonly routes: Routes;
  readonly baseUrl: string;
}

/** The label of a scope: the label of a model, or the summary of an endpoint of the application. */
const labelOf = ({ resources, routes, baseUrl }: KeyScopeParts, scope: string, locale: Locale): string => {
  const [method = '', path] = scope.split(' ', 2);
  if (path !== undefined) {
    const base = new URL(baseUrl).pathname.replace(/\/$/, '');
    const { endpoint } = routes.find(method, `${base}/api/v1${path}`);
    if (endpoint === undefined) return scope;
    const label = labelText(endpoint.docs.summary, locale);
    // An endpoint without a summary of its own is called by its method and path.
    return label === `${method} /api/v1${path}` ? scope : label;
  }
  const [model] = scope.split(':', 1);
  const found = [...resources.values()].find((resource) => resource.model.path === model);
  return labelText(found?.model.pluralLabel ?? users, locale);
};

/** Everything that pages need to choose the scopes of a key, and to advise on them. */
export const keyScopeEndpoints = (services: KeyScopeParts): Endpoint[] => {
  const readAdvice = keyAdviceReader(services);
  const common = { method: 'GET', auth: adminAuth, policy: administratorOnly, accepts: 'nothing' } as const;
  return [
    {
      ...common,
      operation: 'adminListApiKeyScopes',
      path: '/admin/api_keys/scopes',
      docs: {
        summary: { 'zh-CN': 'API 密钥可用的权限范围', en: 'Scopes that API keys can have' },
        description: {
          'zh-CN':
            '每个模型的每种操作，以及接受 API 密钥的应用接口。`orders:*` 代表 `orders` 的全部操作，不单列。',
          en: 'Each action of each model, and the endpoints of the application that take API keys. `orders:*` stands for all actions on `orders` and is not listed.',
        },
        tag: adminTag,
        data: { type: 'array', items: keyScopeSchema },
        query: [languageQuery(services.languages)],
        problems: ['invalid_parameter'],
      },
      handle: (call) => {
        const language = languageOf(call, services.languages);
        const scopes = [...services.keyScopes].filter((scope) => !scope.endsWith(':*'));
        const data = scopes.map((scope) => ({ scope, label: labelOf(services, scope, language) }));
        return { language, data };
      },
    },
    {
      ...common,
      operation: 'adminGetApiKeyAdvice',
      path: '/admin/api_keys/advice',
      docs: {
        summary: { 'zh-CN': '对 API 密钥的建议', en: 'Advice about API keys' },
        description: {
          'zh-CN': '永不过期、30 天未使用、权限范围大于近 30 天所用的密钥。',
          en: 'Keys that never expire, that were not used for 30 days, and that may do more than their requests of the last 30 days needed.',
        },
        tag: adminTag,
        data: keyAdviceSchema,
      },
      handle: async () => ({ data: await readAdvice() }),
    },
  ];
};
