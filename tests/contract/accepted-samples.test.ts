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
} from './sample-data.ts';
import { samplesOf, sendSample, withReal } from './sample-page.ts';
import { notSent, placeholders } from './sample-placeholders.ts';

const mailbox = new Mailbox();

const folderOf = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

const applications: Readonly<Record<string, Application>> = {
  shop: await loadApplication(folderOf('shop')),
  // The application sends mail, so that every operation of accounts is there.
  newsroom: createApplication({
    ...newsroom,
    config: { mail: mailbox.receive, registration: { roles: ['viewer'], domains: ['example.com'] } },
  }),
  teams: await loadApplication(folderOf('teams')),
};

/** The body of a sample, with a real value in the place of each placeholder. */
const withoutPlaceholders = async (id: string, body: string, place: Place, caller: TestUser) => {
  const real = await placeholders[id]?.value(place, caller);
  return real === undefined ? body : JSON.stringify(withReal(JSON.parse(body), real), null, 2);
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

    it('samples of the documentation page are accepted by every operation that has one', async () => {
      const place = { service, mailbox, root };
      const refused: string[] = [];
      let sent = 0;
      for (const { operation, form, request } of await samplesOf(place, '/api-docs/openapi.json')) {
        const { id, path, access } = operation;
        if (notSent[id] !== undefined) continue;
        const caller = isAboutCaller(path) ? await service.createUser(['super_admin']) : root;
        Object.assign(form.values, await pathValues(place, operation, caller));
        form.body = await withoutPlaceholders(id, form.body, place, caller);
        const asked = request();
        const body = asked.body ?? '';
        const refusal = await sendSample(place, operation, asked, {
          ...(await credentialsFor(place, access.methods[0], caller, body)),
          ...signatureOfProvider(id, body),
        });
        sent += 1;
        if (refusal !== undefined) refused.push(refusal);
      }
      expect(refused).toEqual([]);
      expect(sent).toBeGreaterThan(10);
    }, 60_000);
  });
