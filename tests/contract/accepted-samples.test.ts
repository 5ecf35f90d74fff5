import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Application, createApplication, loadApplication } from '../../src/app/application.ts';
import { describedMethods } from '../../src/endpoints/docs/page.ts';
import { newsroom } from '../client/applications.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { Mailbox } from '../support/mailbox.ts';
import { type Service, startService, type TestUser } from '../support/service.ts';
import {
  isAboutCaller,
  makeFirstRecords,
  type Place,
  pathValues,
  paySecret,
  signatureOfProvider,
  undo,
} from './sample-data.ts';
import { notSent, placeholders } from './sample-placeholders.ts';

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly access: { readonly methods: readonly string[] };
}

interface Form {
  readonly values: Record<string, string>;
  body: string;
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

type Resolve = (part: unknown) => unknown;
type Ways = ReadonlyMap<string, unknown>;

/** As much of the page's modules as this test uses; they are plain JavaScript. */
interface Page {
  waysOf(methods: unknown, page: { language: string; t: unknown; document: unknown }): Ways;
  readDescription(
    document: unknown,
    ways: Ways,
  ): { readonly operations: readonly Operation[]; readonly resolve: Resolve };
  newForm(operation: Operation, resolve: Resolve, ways: Ways): Form;
  requestOf(operation: Operation, form: Form): Request;
}

const loadPage = async (): Promise<Page> => {
  // The page's own address, from which its requests have that of the service.
  vi.stubGlobal('location', new URL('http://service/api-docs'));
  const load = (name: string): Promise<Page> =>
    import(new URL(`../../docs-page/${name}.js`, import.meta.url).href);
  return Object.assign({}, ...(await Promise.all(['description', 'request', 'ways'].map(load))));
};

const mailbox = new Mailbox();

const folderOf = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

const applications: Readonly<Record<string, Application>> = {
  shop: await loadApplication(folderOf('shop')),
  // With mail, so that every operation of accounts is there.
  newsroom: createApplication({
    ...newsroom,
    config: { mail: mailbox.receive, registration: { roles: ['viewer'], domains: ['example.com'] } },
  }),
  teams: await loadApplication(folderOf('teams')),
};

/** Puts the real value in the place of a placeholder: of a field that the sample has, and of nothing else. */
const withoutPlaceholders = async (id: string, body: string, place: Place, caller: TestUser) => {
  const placeholder = placeholders[id];
  if (placeholder === undefined) return body;
  const sample = JSON.parse(body) as object;
  const real = await placeholder.value(place, caller);
  expect([id, Object.keys(sample)]).toEqual([id, expect.arrayContaining(Object.keys(real))]);
  return JSON.stringify({ ...sample, ...real }, null, 2);
};

/** Headers that the page sends for the way that an operation begins with. */
const credentialsFor = async (
  { service }: Place,
  method: string | undefined,
  caller: TestUser,
  body: string,
) => {
  if (method === 'jwt') return { Authorization: `Bearer ${caller.token}` };
  if (method === 'api_key') return { 'X-Api-Key': (await service.createKey(caller)).key };
  return method === 'signature' ? service.sign('shop', body) : {};
};

for (const [name, application] of Object.entries(applications))
  describeEachDatabase(`samples of the documentation page of ${name}, as they are shown`, (databases) => {
    let service: Service;
    let root: TestUser;
    beforeAll(async () => {
      // The first records of a fresh database have the ids that samples name.
      const url = await databases.create();
      vi.stubEnv('PAY_SECRET', paySecret);
      const env = { LOCALE: 'en', WEBHOOK_PRIVATE: '1' };
      service = await startService(databases, { url, application, apps: ['shop'], env });
      root = await service.createUser(['super_admin'], { username: `root_of_${name}` });
      await makeFirstRecords(name, { service, mailbox, root });
    });
    afterAll(async () => {
      vi.unstubAllEnvs();
      await service.close();
    });

    it('are accepted by every operation that has one', async () => {
      const page = await loadPage();
      const document = await (await fetch(`${service.origin}/api-docs/openapi.json`)).json();
      const ways = page.waysOf(describedMethods(), { language: 'en', t: {}, document });
      const { operations, resolve } = page.readDescription(document, ways);
      const refused: string[] = [];
      let sent = 0;
      for (const operation of operations) {
        const { id, path } = operation;
        const form = page.newForm(operation, resolve, ways);
        if (notSent[id] !== undefined) continue;
        if (form.body === '' && Object.keys(form.values).length === 0) continue;
        const place = { service, mailbox, root };
        const caller = isAboutCaller(path) ? await service.createUser(['super_admin']) : root;
        Object.assign(form.values, await pathValues(place, operation, caller));
        form.body = await withoutPlaceholders(id, form.body, place, caller);
        const { method, url, headers, body } = page.requestOf(operation, form);
        const credentials = await credentialsFor(place, operation.access.methods[0], caller, body ?? '');
        const response = await fetch(url.replace('http://service', service.origin), {
          method,
          headers: { ...headers, ...credentials, ...signatureOfProvider(id, body ?? '') },
          ...(body === undefined ? {} : { body }),
        });
        const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
        const text = isStream ? '' : await response.text();
        await response.body?.cancel().catch(() => undefined);
        sent += 1;
        if (response.ok) await undo(place, operation, text);
        else refused.push(`${id} ${method} ${url} ${body ?? ''}: ${response.status} ${text}`);
      }
      expect(refused).toEqual([]);
      expect(sent).toBeGreaterThan(10);
    }, 60_000);
  });
