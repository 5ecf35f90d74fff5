import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Edits, filesOf, type NewFile, RecipeCopy } from './recipe.ts';

/** The recipe for a method of authentication, followed in a copy of the source: the user whom a proxy names. */

const method: NewFile = {
  file: 'src/auth/methods/remote-user.ts',
  text: `
import { Problem } from '../../kernel/problem.ts';
import { type AuthDependencies, type Authenticate, type AuthMethod, absent, type IdentifiedUser } from '../method.ts';
import { sameOrigin } from '../same-origin.ts';

const open = ({ identities, cookies }: AuthDependencies): Authenticate<IdentifiedUser<'remote_user'>> =>
  async (request) => {
    const username = request.proxyHeader('x-remote-user');
    if (username === undefined) return absent;
    if (request.method !== 'GET' && !sameOrigin(request, cookies.baseUrl))
      return { kind: 'rejected', problem: new Problem('cross_site') };
    const identity = await identities.byUsername(username, request.models);
    return identity === undefined
      ? { kind: 'rejected', problem: new Problem('invalid_token') }
      : { kind: 'principal', principal: { ...identity, method: 'remote_user' } };
  };

export const remoteUser = {
  name: 'remote_user',
  label: { 'zh-CN': '代理认证', en: 'Proxy' },
  area: 'api',
  optIn: true,
  holder: 'user',
  challenge: 'Proxy realm="gatewright"',
  refusals: ['invalid_token'],
  writeRefusals: ['cross_site'],
  coversBody: false,
  schemes: {
    remoteUser: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Remote-User',
      setBy: 'proxy',
      description: { 'zh-CN': '由代理设置', en: 'Set by the proxy' },
    },
  },
  open,
} as const satisfies AuthMethod;
`,
};

const edits: readonly Edits[] = [
  {
    file: 'src/auth/registry.ts',
    inserted: [
      {
        before: "import { session } from './methods/session.ts';",
        text: "import { remoteUser } from './methods/remote-user.ts';\n",
      },
      { before: '  session,\n  signature,', text: '  remoteUser,\n' },
    ],
  },
  {
    file: 'src/auth/ports.ts',
    inserted: [
      {
        before: '  /** As `byUserId`, unless the user',
        text: '  byUsername(username: string, models: readonly string[]): Promise<Identity | undefined>;\n',
      },
    ],
  },
  {
    file: 'src/accounts/users/identities.ts',
    inserted: [
      {
        before: '    byToken: forms<',
        text: `    byUsername: forms<{ username: string }>(
      database,
      (value) => sql\`users u where u.username = \${value('username')} and \${signsIn}\`,
    ),
`,
      },
      {
        before: '    byToken: async (',
        text: `    byUsername: async (username, models) => {
      const row = await database.get<IdentityRow>(byUsername({ username }, models));
      return row === undefined ? undefined : toIdentity(row, 'missing');
    },
`,
      },
      { before: 'byToken, byKey,', text: 'byUsername, ' },
    ],
  },
];

/** Run in the copy: what a caller behind a proxy gets, where the proxy is trusted and where it is not. */
const program = `
import { createApplication, defineEndpoint } from './src/index.ts';
import { testApplication } from './src/testing/testing.ts';

const endpoint = (method) =>
  defineEndpoint({
    method,
    path: '/name',
    summary: { 'zh-CN': '姓名', en: 'Name' },
    auth: ['jwt', 'remote_user'],
    handle: async ({ principal }) => ({ username: principal.username }),
  });

const results = async (settings) => {
  const app = await testApplication({
    application: createApplication({ endpoints: [endpoint('GET'), endpoint('POST')] }),
    env: { ...settings, CORS_ORIGINS: 'https://front.example' },
  });
  const { username } = await app.user();
  const send = (method, headers, body) =>
    fetch(app.url + '/api/v1/name', { method, headers: { 'content-type': 'application/json', ...headers }, body });
  const status = async (...request) => (await send(...request)).status;
  const byProxy = { 'x-remote-user': username };
  const body = '{}';
  const preflight = await send('OPTIONS', {
    origin: 'https://front.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization,x-remote-user',
  });
  const text = await (await fetch(app.url + '/api-docs/openapi.json')).json();
  const found = {
    read: await status('GET', byProxy),
    unknown: await status('GET', { 'x-remote-user': 'stranger' }),
    own: await status('POST', { ...byProxy, 'sec-fetch-site': 'same-origin' }, body),
    foreign: await status('POST', { ...byProxy, origin: 'https://front.example' }, body),
    allowed: preflight.headers.get('access-control-allow-headers').toLowerCase().split(/, */).sort(),
    scheme: text.components.securitySchemes.remoteUser,
    security: text.paths['/api/v1/name'].get.security,
  };
  await app.close();
  return found;
};
console.log(JSON.stringify({ trusted: await results({ TRUST_PROXY: 'loopback' }), untrusted: await results({}) }));
`;

let copy: RecipeCopy;

beforeAll(async () => {
  copy = await RecipeCopy.make();
  await copy.apply([method, ...edits]);
}, 300_000);
afterAll(() => copy[Symbol.asyncDispose]());

it("a method by a proxy's header takes four files, and works for a trusted proxy only", async () => {
  expect(filesOf([method, ...edits])).toBeLessThanOrEqual(8);
  const { trusted, untrusted } = (await copy.run(program)) as Readonly<
    Record<'trusted' | 'untrusted', Readonly<Record<string, unknown>>>
  >;
  expect(trusted).toMatchObject({ read: 200, unknown: 401, own: 200, foreign: 403 });
  expect(untrusted).toMatchObject({ read: 401, unknown: 401, own: 401, foreign: 401 });
  expect(trusted['allowed']).toContain('authorization');
  expect(trusted['allowed']).not.toContain('x-remote-user');
  expect(trusted['security']).toEqual([{ jwt: [] }, { remoteUser: [] }]);
  expect(trusted['scheme']).toMatchObject({ type: 'apiKey', in: 'header', name: 'X-Remote-User' });
}, 60_000);

it("a method by a proxy's header compiles", async () => {
  expect(await copy.refused('service')).toEqual([]);
}, 300_000);
