import { expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { defineJob } from '../../src/delivery/jobs/define-job.ts';
import { field } from '../../src/fields/define.ts';
import { foldedLetters } from '../../src/kernel/search-words.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import type { Scope } from '../../src/model/scope.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeDatabase, describeEachDatabase } from '../support/databases.ts';
import { leastHold, longestHold } from '../support/longest-hold.ts';
import { useService } from '../support/service.ts';

/** The cost of one caller's work for the others: on SQLite everything runs in the thread that serves all of them. */

const fields = { title: field.string({ required: true, max: 200 }) };
const note = defineResource('Note', { fields });

const counted = { count: field.integer({ required: true }) };
const hooked = defineResource('Hooked', {
  fields: counted,
  hooks: {
    beforeCommit: ({ after, records }) => createMany(records, Number(after?.['count'])),
    beforeSave: async ({ values, records }) => {
      if (Number(values['count']) < 0) await readMany(records, 1_000_000);
    },
  },
});

const texts = { body: field.text({ required: true }) };
const page = defineResource('Page', { fields: texts, search: ['body'] });

const values = { data: field.json() };
const sheet = defineResource('Sheet', {
  fields: values,
  ...{ events: true, history: true, views: { saved: ['id'] } },
});

const createMany = async (records: Scope['records'], count: number): Promise<void> => {
  for (let nth = 0; nth < count; nth += 1) await records(note).create({ title: `note ${nth}` });
};

/** Reads of a loop: the last one that returned. */
let lastRead = 0;

const readMany = async (records: Scope['records'], count: number): Promise<void> => {
  for (let nth = 0; nth < count; nth += 1) {
    await records(note).find(1);
    lastRead = performance.now();
  }
};

const input = counted;

const application = {
  resources: [note, hooked, page, sheet],
  migrations: {
    '0001_all': {
      up: async (db: Parameters<Migration['up']>[0], dialect: 'sqlite' | 'postgres') => {
        await createTable(db, dialect, note.table, { fields });
        await createTable(db, dialect, hooked.table, { fields: counted });
        await createTable(db, dialect, page.table, { fields: texts, search: page.search });
        await createTable(db, dialect, sheet.table, { fields: values });
      },
    },
  },
  endpoints: [
    defineEndpoint({
      method: 'POST',
      path: '/create-many',
      input,
      handle: ({ values, transaction }) => transaction(({ records }) => createMany(records, values.count)),
    }),
    defineEndpoint({
      method: 'POST',
      path: '/read-many',
      input,
      handle: ({ values, records }) => readMany(records, values.count),
    }),
    defineEndpoint({
      method: 'POST',
      path: '/never-gives-up',
      handle: ({ transaction }) =>
        transaction(async ({ records }) => {
          for (;;)
            await records(note)
              .create({ title: '' })
              .catch(() => undefined);
        }),
    }),
  ],
  jobs: {
    many: defineJob({
      ...{ input, attempts: 1 },
      handle: ({ values, transaction }) => transaction(({ records }) => createMany(records, values.count)),
    }),
    reads: defineJob({
      ...{ input, attempts: 1, timeout: 1 },
      handle: ({ values, records }) => readMany(records, values.count),
    }),
  },
};

const many = 40_000;
const tooLong = { status: 503, json: { code: 50305 } };

describeEachDatabase('a loop of many statements', (databases) => {
  const env = { TRANSACTION_TIMEOUT: '1', HANDLER_TIMEOUT: '2' };
  const service = useService(databases, { application, env });
  const post = async (path: string, body: object) =>
    service.post(`/api/v1${path}`, { token: await service.admin(), body });
  const notes = async (): Promise<number> =>
    (await service.server.services.systemScope('a test').records(note).count()) - others;
  let others = 0;

  /** Runs some work while others ask and write; none may wait for all of it. */
  const beside = async <T>(work: () => Promise<T>): Promise<T> => {
    const token = await service.admin();
    await service.get('/api/v1/health');
    let healthy = 0;
    let running = true;
    const asking = async (): Promise<void> => {
      while (running) {
        expect((await service.get('/api/v1/health')).status).toBe(200);
        healthy += 1;
      }
    };
    const writing = async (): Promise<void> => {
      while (running) {
        const body = { note: { title: 'of others' } };
        expect((await service.post('/api/v1/notes', { token, body })).status).toBe(201);
        others += 1;
      }
    };
    const [result, hold] = await longestHold(async () => {
      const all = Promise.all([asking(), writing()]);
      try {
        return await work();
      } finally {
        running = false;
        await all;
      }
    });
    expect(healthy).toBeGreaterThan(5);
    if (databases.dialect === 'sqlite') expect(hold).toBeLessThan(250);
    return result;
  };

  it('a loop of many statements in one transaction of an endpoint is 503 after TRANSACTION_TIMEOUT, and rolled back', async () => {
    expect(await beside(() => post('/create-many', { count: many }))).toMatchObject(tooLong);
    expect(await notes()).toBe(0);
    expect((await post('/create-many', { count: 10 })).status).toBe(200);
    expect(await notes()).toBe(10);
  });

  it('a loop of many statements in a hook of a write is 503 as well', async () => {
    const before = await notes();
    expect(await beside(() => post('/hookeds', { hooked: { count: many } }))).toMatchObject(tooLong);
    expect(await notes()).toBe(before);
  });

  it('a loop of many statements in a job fails it', async () => {
    const before = await notes();
    const { jobs } = service.server.services.systemScope('a test');
    const id = await jobs.add('many', { count: many });
    const failed = async (): Promise<unknown> => {
      const list = await service.ok<{ id: number; state: string; error: string }[]>('GET', '/admin/jobs', {
        token: await service.admin(),
      });
      return list.find((job) => job.id === id);
    };
    const timeout = { timeout: 20_000 };
    await beside(() =>
      expect.poll(failed, timeout).toMatchObject({ state: 'failed', error: /^transaction_timeout/ }),
    );
    expect(await notes()).toBe(before);
  });

  it('a loop of many statements of the system, as scripts and onStart have it, is refused too', async () => {
    const before = await notes();
    const { transaction } = service.server.services.systemScope('a test');
    const work = (): Promise<void> => transaction(({ records }) => createMany(records, many));
    await expect(beside(work)).rejects.toMatchObject({ problem: 'transaction_timeout' });
    expect(await notes()).toBe(before);
  });

  it('a loop of many statements that catches every error ends all the same', async () => {
    expect(await beside(() => post('/never-gives-up', {}))).toMatchObject(tooLong);
  });

  it('a loop of many statements without a transaction lets others in, and ends after HANDLER_TIMEOUT', async () => {
    const answer = await beside(() => post('/read-many', { count: 1_000_000 }));
    expect(answer).toMatchObject({ status: 503, json: { code: 50304 } });
    // Its scope takes no more calls.
    const end = performance.now() + 300;
    await expect.poll(() => performance.now(), { timeout: 5_000 }).toBeGreaterThan(end + 300);
    expect(lastRead).toBeLessThan(end);
    expect((await post('/read-many', { count: 10 })).status).toBe(200);
  });

  it('a loop of many statements of a hook, or of a job, ends after its time as well', async () => {
    const hook = await beside(() => post('/hookeds', { hooked: { count: -1 } }));
    expect(hook).toMatchObject({ status: 503, json: { code: 50304 } });
    const { jobs } = service.server.services.systemScope('a test');
    await jobs.add('reads', { count: 1_000_000 });
    const token = await service.admin();
    const error = async (): Promise<unknown> =>
      (await service.ok<{ name: string; error: unknown }[]>('GET', '/admin/jobs', { token })).find(
        ({ name }) => name === 'reads',
      )?.error;
    await beside(() => expect.poll(error, { timeout: 20_000 }).toMatch(/took longer than 1 s/));
    const end = performance.now() + 300;
    await expect.poll(() => performance.now(), { timeout: 5_000 }).toBeGreaterThan(end + 300);
    expect(lastRead).toBeLessThan(end);
  });
});

describeDatabase('sqlite', 'a large batch', (databases) => {
  const service = useService(databases, { application, env: { TRANSACTION_TIMEOUT: '60' } });
  /** Milliseconds of processor time that one turn may take. */
  const bound = 250;
  const create = async (resource: string, records: readonly object[]) =>
    service.post(`/api/v1/${resource}/batch`, { token: await service.admin(), body: { create: records } });
  /** Words of accented letters, as many different ones as there are. */
  const accented = (length: number): string => {
    const letters = foldedLetters().pairs.map(([letter]) => letter);
    return Array.from({ length }, (_, nth) => (nth % 12 === 11 ? ' ' : letters[nth % letters.length])).join(
      '',
    );
  };
  /** A passage of a thousand different characters, over and over. */
  const chinese = (length: number): string =>
    Array.from({ length }, (_, nth) => String.fromCodePoint(0x4e00 + (((nth % 1_000) * 7919) % 20_000))).join(
      '',
    );

  it.each([
    ['accented', accented(20_000), 20],
    ['Chinese', chinese(20_000), 14],
  ])(
    'a large batch of %s text into a model with a search does not hold up the process',
    async (_, body, count) => {
      const records = Array.from({ length: count }, () => ({ body }));
      const [answer, hold] = await leastHold(bound, () => create('pages', records));
      expect(answer.status).toBe(200);
      expect(hold).toBeLessThan(bound);
    },
  );

  it('a large batch of a thousand records does not hold up the process', async () => {
    const records = Array.from({ length: 1_000 }, (_, nth) => ({ title: `note ${nth}` }));
    const [answer, hold] = await leastHold(bound, () => create('notes', records));
    expect(answer.status).toBe(200);
    expect(hold).toBeLessThan(bound);
    const invalid = Array.from({ length: 1_000 }, () => ({ title: 'x'.repeat(800) }));
    const [refused, refusing] = await leastHold(bound, () => create('notes', invalid));
    expect(refused.status).toBe(422);
    expect(refusing).toBeLessThan(bound);
  });

  it('a large batch of members of one value does not hold up the process', async () => {
    const token = await service.admin();
    const objectOf = (first: number): string =>
      `{${Array.from({ length: 90_000 }, (_, nth) => `"k${nth}":${(nth + first) % 10}`).join(',')}}`;
    const send = (method: 'POST' | 'PATCH', path: string, data: string) =>
      leastHold(bound, () =>
        service.request<{ id: number }>(method, `/api/v1/sheets${path}`, {
          token,
          body: `{"sheet":{"data":${data}}}`,
        }),
      );
    const [created, creating] = await send('POST', '', objectOf(0));
    expect([created.status, creating < bound]).toEqual([201, true]);
    const [updated, updating] = await send('PATCH', `/${created.json.data?.id}`, objectOf(1));
    expect([updated.status, updating < bound]).toEqual([200, true]);
  });
});
