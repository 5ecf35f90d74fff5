import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Application, createApplication, loadApplication } from '../../src/app/application.ts';
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
import { samplesOf } from './sample-page.ts';
import { notSent, placeholders } from './sample-placeholders.ts';

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
      // Samples name this user by the address.
      await service.createUser(['viewer'], { username: `ada_of_${name}`, email: 'ada@example.com' });
    });
    afterAll(async () => {
      vi.unstubAllEnvs();
      await service.close();
    });

    it('are accepted by every operation that has one', async () => {
      const document = await (await fetch(`${service.origin}/api-docs/openapi.json`)).json();
      const refused: string[] = [];
      let sent = 0;
      for (const { operation, form, request } of await samplesOf(document)) {
        const { id, path } = operation;
        if (notSent[id] !== undefined) continue;
        const place = { service, mailbox, root };
        const caller = isAboutCaller(path) ? await service.createUser(['super_admin']) : root;
        Object.assign(form.values, await pathValues(place, operation, caller));
        form.body = await withoutPlaceholders(id, form.body, place, caller);
        const { method, url, headers, body } = request();
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
