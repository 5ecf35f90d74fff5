import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest';
import {
  type ChangeEvent,
  type Client,
  createClient,
  GatewrightError,
  resource,
} from '../../client/index.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

const fields = { title: field.string({ required: true, max: 20 }), done: field.boolean({ default: false }) };
const task = defineResource('Task', { fields, auth: ['jwt', 'api_key'], events: true });
const quiet = defineResource('Quiet', { fields, plural: 'quiets' });
const secret = defineResource('Secret', { fields, permissions: 'all', events: true });
const migrations: Migrations = {
  '0001_tasks': {
    up: async (db, dialect) => {
      for (const table of ['tasks', 'quiets', 'secrets']) await createTable(db, dialect, table, { fields });
    },
  },
};

const resources = {
  tasks: resource<typeof task>('task'),
  quiets: resource<typeof quiet>('quiet'),
  secrets: resource<typeof secret>('secret'),
};

/** The error of a loop that cannot go on. */
const refusal = async (events: AsyncIterable<unknown>): Promise<GatewrightError> => {
  try {
    for await (const _ of events) break;
  } catch (error) {
    if (error instanceof GatewrightError) return error;
    throw error;
  }
  throw new Error('expected a GatewrightError');
};

describeEachDatabase('a subscription', (databases) => {
  const service = useService(databases, {
    application: { resources: [task, quiet, secret], migrations },
    env: { LOCALE: 'en' },
  });
  const clientOf = ({ token }: { readonly token: string }) =>
    createClient({ baseUrl: service.origin, auth: { token }, resources });

  it('tells what happens, over connections that are lost, without a gap or a repetition', async () => {
    const client = clientOf(await service.createUser());
    const seen: ChangeEvent[] = [];
    const places: number[] = [];
    const ids: number[] = [];
    for await (const event of client.tasks.subscribe({
      reached: (place) => {
        places.push(place);
        if (places.length === 1)
          void (async () => {
            for (let index = 0; index < 20; index += 1) {
              ids.push((await client.tasks.create({ title: `t${index}` })).id);
              // Every connection is lost, again and again.
              if (index % 5 === 2) service.server.services.changes.close();
            }
          })();
      },
    })) {
      expectTypeOf(event.fields).toEqualTypeOf<
        readonly ('id' | 'title' | 'done' | 'created_at' | 'updated_at')[]
      >();
      seen.push(event);
      if (seen.length === 20) break;
    }
    expect(seen.map(({ id }) => id)).toEqual(ids);
    expect(seen[0]).toMatchObject({ model: 'Task', action: 'create', version: 1, fields: ['title', 'done'] });
    await expect.poll(() => service.server.services.changes.size).toBe(0);
    const again: ChangeEvent[] = [];
    for await (const event of client.tasks.subscribe({ after: seen[9]?.number })) {
      again.push(event);
      if (again.length === 10) break;
    }
    expect(again).toEqual(seen.slice(10));
  }, 60_000);

  it('ends with an error where it cannot go on', async () => {
    const user = await service.createUser();
    const client = clientOf(user);
    expect(await refusal(client.tasks.subscribe({ after: 1e15 }))).toMatchObject({
      status: 410,
      code: 41000,
    });
    expect(await refusal(client.secrets.subscribe())).toMatchObject({ status: 403 });
    const stranger = createClient({ baseUrl: service.origin, resources });
    expect(await refusal(stranger.tasks.subscribe())).toMatchObject({ status: 401 });
    const none = await refusal(client.quiets.subscribe());
    expect([none.status, none.message]).toEqual([400, expect.stringContaining('needs `events: true`')]);
    const leaving = new AbortController();
    const loop = client.tasks.subscribe({
      signal: leaving.signal,
      reached: () => leaving.abort(new Error('left')),
    });
    await expect(loop.next()).rejects.toThrow('left');
    await service.ok('PATCH', `/admin/users/${user.id}`, {
      token: await service.admin(),
      body: { user: { disabled: true } },
    });
    expect(await refusal(client.tasks.subscribe())).toMatchObject({ status: 401 });
  });

  it('signs in again where the token has run out meanwhile', async () => {
    const { password } = await service.admin();
    const client = createClient({ baseUrl: service.origin, auth: { account: 'root', password }, resources });
    await client.auth.me();
    service.clock.advance(25 * 3600);
    const loop = client.tasks.subscribe({
      reached: () => void client.tasks.create({ title: 'later' }).catch(() => {}),
    });
    expect((await loop.next()).value).toMatchObject({ action: 'create' });
    await loop.return?.();
    service.clock.reset();
  });
});

describe('a subscription to a service that comes and goes', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  it('waits as long as the server asks, goes on behind the last number, and takes bytes as they fall', async () => {
    const asked: (string | undefined)[] = [];
    const bodies = ['retry: 20\nid: 5\n\n', 'id: 6\ndata: {"number":6,"fields":["ä', '"]}\n\n'];
    server = createServer((request, response) => {
      asked.push(request.headers['last-event-id']?.toString());
      if (asked.length === 2) return void response.writeHead(503, { 'retry-after': '0' }).end();
      if (asked.length === 3) return void response.destroy();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const bytes = Buffer.from(asked.length === 1 ? (bodies[0] ?? '') : bodies.slice(1).join(''));
      const write = (index: number): void => {
        if (index < bytes.length) response.write(bytes.subarray(index, index + 7), () => write(index + 7));
        else if (asked.length === 1) response.end();
      };
      write(0);
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, resources, retry: { attempts: 1 } });
    const loop = client.tasks.subscribe();
    expect((await loop.next()).value).toEqual({ number: 6, fields: ['ä'] });
    await loop.return?.();
    expect(asked).toEqual([undefined, '5', '5', '5']);
  });
});

/** Checked by the compiler; never called. */
const typed = (
  client: Client<{
    things: ReturnType<typeof resource<Announced>>;
    others: ReturnType<typeof resource<Silent>>;
  }>,
) => {
  client.things.subscribe();
  // @ts-expect-error: its model has no events
  client.others.subscribe();
};

interface Announced {
  listed: { id: number };
  record: { id: number };
  saved: { id: number };
  create: object;
  update: object;
  filter: object;
  sort: 'id';
  events: true;
}
type Silent = Omit<Announced, 'events'> & { events: false };

it('subscribe is there for resources with events', () => {
  expect(typed).toBeTypeOf('function');
});
