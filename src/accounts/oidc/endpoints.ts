/** Endpoints of sign-in by providers; this file has the list of providers, and the way to a provider and back. */

import { jwt } from '../../auth/registry.ts';
import type { Answer, Endpoint } from '../../http/endpoint.ts';
import { type Languages, labelText } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { type CodeExchangeParts, exchangeEndpoint } from './code-exchange.ts';
import { type LinkedAccountEndpointParts, linkedAccountEndpoints } from './linked-account-endpoints.ts';
import { type OwnLinkedAccountParts, ownLinkedAccountEndpoints } from './own-linked-accounts.ts';
import { type ProviderLogoutParts, providerLogoutEndpoint } from './provider-logout.ts';
import { type Arrival, ProviderSignIns } from './provider-sign-ins.ts';

const refusal = (): Problem =>
  new Problem('provider_refused', { headers: { 'WWW-Authenticate': jwt.challenge } });

/** The description of a redirection. */
const redirection = {
  media: 'text/plain',
  headers: {
    Location: { 'zh-CN': '浏览器接下来打开的地址', en: 'The address that the browser opens next' },
    'Set-Cookie': { 'zh-CN': '将登录绑定到此浏览器', en: 'Binds the sign-in to this browser' },
  },
  problems: ['path_not_found', 'provider_unavailable', 'database_unavailable', 'overloaded'],
} as const;

const redirect = (location: string, headers: Answer['headers'] = {}): Answer => ({
  status: 302,
  headers: { ...headers, Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
  raw: { type: 'text/plain; charset=utf-8', body: '' },
});

export interface OidcParts
  extends ProviderLogoutParts,
    CodeExchangeParts,
    OwnLinkedAccountParts,
    LinkedAccountEndpointParts {
  readonly languages: Languages;
}

const listEndpoint = ({
  providers,
  baseUrl,
  languages,
}: Pick<OidcParts, 'providers' | 'baseUrl' | 'languages'>): Endpoint => ({
  operation: 'listProviders',
  method: 'GET',
  path: '/api/v1/auth/providers',
  auth: [],
  policy: { kind: 'open' },
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '身份提供方列表', en: 'List providers' },
    tag: 'Auth',
    data: {
      type: 'array',
      items: {
        type: 'object',
        title: 'Provider',
        properties: { name: { type: 'string' }, label: { type: 'string' }, url: { type: 'string' } },
      },
    },
  },
  handle: ({ language }) => ({
    data: [...providers.values()].map(({ name, provider: { label = name } }) => ({
      name,
      label: labelText(label, language, languages.first.fallbacks),
      url: `${baseUrl}/api/v1/auth/oidc/${name}`,
    })),
  }),
});

const beginEndpoint = (signIns: ProviderSignIns): Endpoint => ({
  operation: 'beginProviderSignIn',
  method: 'GET',
  path: '/api/v1/auth/oidc/:provider',
  auth: [],
  policy: { kind: 'open' },
  accepts: 'nothing',
  status: 302,
  docs: {
    summary: { 'zh-CN': '前往身份提供方登录', en: 'Sign in with a provider' },
    description: {
      'zh-CN':
        '浏览器打开此地址。登录后返回 `return`（页面的路径，不能在 `/api/v1` 之下），片段中有一次性代码 `code`，或错误码 `error`。',
      en: 'A browser opens this address. After the sign-in it returns to `return`, the path of a page and never one below `/api/v1`, with a one-time `code` in the fragment, or the code of an `error`.',
    },
    tag: 'Auth',
    ...redirection,
    query: [
      {
        name: 'return',
        description: { 'zh-CN': '登录后返回的路径', en: 'Path to which the browser returns' },
        schema: { type: 'string', default: signIns.defaultReturnPath },
      },
    ],
    problems: [...redirection.problems, 'invalid_parameter'],
  },
  handle: async (call) => {
    const part = signIns.providerOf(call);
    const returnPath = signIns.readReturnPath(new URLSearchParams(call.query).get('return'));
    const { url, cookie } = await signIns.begin(part, returnPath, null);
    return redirect(url, { 'Set-Cookie': cookie });
  },
});

const callbackEndpoint = (signIns: ProviderSignIns, origin: string): Endpoint => ({
  operation: 'endProviderSignIn',
  method: 'GET',
  path: '/api/v1/auth/oidc/:provider/callback',
  auth: [],
  policy: { kind: 'open' },
  accepts: 'nothing',
  status: 302,
  docs: {
    summary: { 'zh-CN': '身份提供方的回调', en: 'Return from a provider' },
    description: {
      'zh-CN': '由身份提供方转回的浏览器打开。`state` 未知或属于其他浏览器时为 401。',
      en: 'Opened by a browser that returns from the provider. 401 if the `state` is unknown or of another browser.',
    },
    tag: 'Auth',
    ...redirection,
    query: (['code', 'state', 'iss', 'error'] as const).map((name) => ({
      name,
      description: { 'zh-CN': '身份提供方的响应', en: 'Response of the provider' },
      schema: { type: 'string' },
    })),
    problems: [...redirection.problems, 'provider_refused', 'too_many_requests'],
  },
  handle: async (call) => {
    const part = signIns.providerOf(call);
    const state = new URLSearchParams(call.query).get('state') ?? '';
    let returnPath: string | undefined;
    const onFound = (path: string): void => {
      returnPath = path;
    };
    const arrival = await signIns.arrive(part, state, call, onFound).catch((error: unknown) => {
      if (!(error instanceof Problem) || returnPath === undefined) throw error;
      return { fragment: `error=${error.code}` };
    });
    if (returnPath === undefined) throw refusal();
    const { fragment, cookie }: Arrival = arrival ?? { fragment: `error=${refusal().code}` };
    const cookies = [signIns.clear(state)];
    if (cookie !== undefined) cookies.push(cookie);
    return redirect(`${origin}${returnPath}#${fragment}`, { 'Set-Cookie': cookies });
  },
});

/** None of these endpoints exists in an application without a provider. */
export const oidcEndpoints = (services: OidcParts): Endpoint[] => {
  if (services.providers.size === 0) return [];
  const signIns = new ProviderSignIns(services);
  return [
    listEndpoint(services),
    beginEndpoint(signIns),
    callbackEndpoint(signIns, new URL(services.baseUrl).origin),
    exchangeEndpoint(services),
    providerLogoutEndpoint(services, signIns),
    ...ownLinkedAccountEndpoints(services, signIns),
    ...linkedAccountEndpoints(services),
  ];
};
