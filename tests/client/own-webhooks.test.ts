import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient, GatewrightError, type OperationName } from '../../client/index.ts';
import { createApplication } from '../../src/app/application.ts';
import { readConfig } from '../../src/app/config.ts';
import { endpointsOf } from '../../src/app/describe.ts';
import { clientFile } from '../../src/cli/client-file.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { own } from '../../src/model/row-rule.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Receiver, startReceiver, verifies } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { newsroom } from './applications.ts';
import { createProject } from './typescript.ts';

/** `client.webhooks`: the webhooks that users make for the records that they manage. */

const fields = { title: field.string({ required: true, max: 20 }), user_id: field.owner() };
const application = createApplication({
  resources: [
    defineResource('Note', {
      fields,
      ownership: true,
      isolation: own(),
      events: true,
      trash: true,
      manage: own(),
    }),
  ],
  migrations: {
    '0001_notes': { up: (db, dialect) => createTable(db, dialect, 'notes', { fields }) },
  },
});

const fileOf = async (of: typeof application): Promise<string> =>
  clientFile(of, await endpointsOf(of, readConfig({})));

const uses = `
import { createClient } from 'gatewright/client';
import { resources, webhooks, type Webhooks } from './resources.ts';
const client = createClient({ baseUrl: '', resources, webhooks });
type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : never;

const made = await client.webhooks.create({ url: 'https://example.com', models: ['Note'] });
const secret: string = made.secret;
const page = await client.webhooks.list({ filter: { disabled: false, failures: { gte: 1 } }, sort: '-id', page: 1 });
const listed: Same<(typeof page.items)[number], Webhooks['list']['listed']> = true;
const one = await client.webhooks.get(made.id, { signal: AbortSignal.timeout(5) });
const reason: 'by_hand' | 'by_owner' | 'failed' | 'gone' | 'secret_unreadable' | 'no_user' | null = one.disabled_reason;
await client.webhooks.update(1, { disabled: true, actions: ['create', 'update'] });
const until: string | null = (await client.webhooks.rotate(1)).previous_until;
await client.webhooks.rotate(1, { overlap: 60 }, { signal: AbortSignal.timeout(5) });
const delivered: boolean = (await client.webhooks.test(1)).delivered;
const { items } = await client.webhooks.deliveries(1, { filter: { state: 'failed' }, per_page: 5 });
const states: ('waiting' | 'delivered' | 'failed' | 'skipped')[] = items.map(({ state }) => state);
const text: string | null = (await client.webhooks.delivery(1, 2)).request_body;
const nothing: undefined = await client.webhooks.resend(1, 2);
const paused: string | null = one.paused_until;
const status: number | null = one.failure_status;
await client.webhooks.try(1);
await client.webhooks.delete(1);

// @ts-expect-error: models are missing
client.webhooks.create({ url: 'https://example.com' });
// @ts-expect-error: no such action
client.webhooks.create({ url: 'https://example.com', models: ['Note'], actions: ['read'] });
// @ts-expect-error: the acting user is the caller
client.webhooks.create({ url: 'https://example.com', models: ['Note'], user_id: 1 });
// @ts-expect-error: no such field
client.webhooks.list({ filter: { secret: 'x' } });
// @ts-expect-error: it needs the delivery too
client.webhooks.resend(1);
// @ts-expect-error: changes are missing
client.webhooks.update(1);
// @ts-expect-error: the secret is shown once
one.secret;
// @ts-expect-error: no such operation
client.webhooks.enable(1);
// @ts-expect-error: a client without them has none
createClient({ baseUrl: '', resources }).webhooks;
export { delivered, listed, nothing, paused, reason, secret, states, status, text, until };
`;

it('the written file types every operation on own webhooks, and imports nothing', async () => {
  const project = await createProject({ noUnusedLocals: true });
  const text = await fileOf(application);
  expect(text).not.toMatch(/\bimport\b/);
  await project.write('resources.ts', text);
  await project.write('use.ts', uses);
  expect(await project.compile()).toBe('');
});

it('the written file has none for an application without a model that callers manage', async () => {
  const text = await fileOf(createApplication(newsroom));
  expect(text).not.toMatch(/webhooks/i);
  expect(text).toBe(clientFile(createApplication(newsroom)));
});

describeEachDatabase('a client with own webhooks', (databases) => {
  const service = useService(databases, {
    application,
    env: { WEBHOOK_PRIVATE: '1', LOCALE: 'en' },
    times: { jobTimes: { poll: 100 }, webhookTimes: { poll: 100, timeout: 1_000, rest: 200 } },
  });
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver(() => 200);
  });
  afterAll(() => receiver.close());

  /** The calls without their types, which the compiler has held the same file to above. */
  type Call = OperationName<{
    readonly ids: number[];
    readonly body: object;
    readonly answer: Readonly<Record<string, unknown>>;
  }>;
  type List = OperationName<{
    readonly ids: readonly number[];
    readonly listed: Readonly<Record<string, unknown>> & { readonly id: number };
    readonly filter: object;
    readonly sort: string;
  }>;
  type Written = Readonly<
    Record<'create' | 'get' | 'update' | 'delete' | 'rotate' | 'test' | 'try' | 'delivery' | 'resend', Call>
  > &
    Readonly<Record<'list' | 'deliveries', List>>;

  it('makes, reads, changes, tests and deletes them, and sends a delivery again', async () => {
    const { directory, write } = await createProject();
    await write('resources.ts', await fileOf(application));
    const file: { readonly webhooks: Written } = await import(
      pathToFileURL(join(directory, 'resources.ts')).href
    );
    const [user, other] = [await service.createUser(), await service.createUser()];
    const clientFor = (token: string) =>
      createClient({ baseUrl: service.origin, auth: { token }, webhooks: file.webhooks });
    const { webhooks } = clientFor(user.token);

    const made = await webhooks.create({ url: receiver.url, models: ['Note'] });
    const id = Number(made['id']);
    expect(made['secret']).toMatch(/^whsec_/);
    expect(await webhooks.list()).toMatchObject({ items: [{ id, disabled: false }], total: 1 });
    expect(await webhooks.list({ filter: { disabled: true } })).toMatchObject({ items: [] });
    expect(await webhooks.get(id)).not.toHaveProperty('secret');
    expect(await webhooks.update(id, { actions: ['create'] })).toMatchObject({ actions: ['create'] });

    await service.ok('POST', '/api/v1/notes', { token: user, body: { note: { title: 'first' } } });
    const deliveries = async () =>
      (await webhooks.deliveries(id, { sort: '-id', per_page: 5 })).items.filter(
        ({ state }) => state === 'delivered',
      );
    await expect.poll(async () => (await deliveries()).length, { timeout: 10_000 }).toBe(1);
    const [delivery] = await deliveries();
    expect(verifies(String(made['secret']), receiver.received[0] as Receiver['received'][0])).toBe(true);
    expect(await webhooks.delivery(id, delivery?.id ?? 0)).toMatchObject({
      request_body: expect.stringContaining('first'),
    });

    const rotated = await webhooks.rotate(id, { overlap: 0 });
    expect(rotated).toEqual({ secret: expect.stringMatching(/^whsec_/), previous_until: null });
    expect((await webhooks.rotate(id))['previous_until']).toEqual(expect.any(String));
    expect(await webhooks.test(id)).toMatchObject({ delivered: true, status: 200 });
    expect(await webhooks.try(id)).toBeUndefined();
    expect(await webhooks.resend(id, delivery?.id ?? 0)).toBeUndefined();
    const notes = () => receiver.received.filter(({ message }) => message.type === 'Note.create').length;
    await expect.poll(notes, { timeout: 10_000 }).toBe(2);

    const refused = (call: Promise<unknown>) =>
      call.then(
        () => 0,
        (error: unknown) => (error instanceof GatewrightError ? error.code : error),
      );
    expect(await refused(webhooks.create({ url: receiver.url, models: ['Order'] }))).toBe(42200);
    expect(await refused(clientFor(other.token).webhooks.get(id))).toBe(40400);
    expect(await webhooks.delete(id)).toBeUndefined();
    expect((await webhooks.list()).items).toEqual([]);
  });
});
