import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Query, Transaction, Unit, WriteOptions } from '../../src/database/database.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';

const fields = { title: field.string({ required: true, max: 200 }), user_id: field.owner() };
const order = defineResource('Order', { fields, isolation: true, ownership: true, events: true });
const migrations: Migrations = {
  '0001_orders': { up: (db, dialect) => createTable(db, dialect, 'orders', { fields }) },
};

/** The statements of an event on its way, each by its purpose. */
const purposes: readonly (readonly [string, RegExp])[] = [
  ['find webhooks that may have something to send', /from "gatewright_webhooks" where disabled = false/],
  ['number new events', /"gatewright_event_inbox"/],
  ['read new events', /from "gatewright_events" where id > /],
  ['store a job that sends', /^insert into "gatewright_jobs"/],
  ['find due jobs', /from "gatewright_jobs".* as later/],
  ['claim the job', /update "gatewright_jobs" set state = 'running'/],
  ['take the lease of the webhook', /^update "gatewright_webhooks" set lane = \W/],
  ['move the cursor of the webhook', /^update "gatewright_webhooks" set cursor/],
  ['add and claim the delivery', /^insert into "gatewright_deliveries"/],
  ['read the acting user and their rights', /from users u where u.id = /],
  ['read what they may see of the event', /from gatewright_events as "_event"/],
  ['read the record as they may see it', /from "orders" as "t"/],
  ['lock the webhook', /^select id, url.* from "gatewright_webhooks" where id = /],
  ['store the outcome', /^update "gatewright_deliveries" set "state"/],
  ['release the lease', /^update "gatewright_webhooks" set lane = null/],
  ['delete the job', /^delete from "gatewright_jobs"/],
];

/** The statements of the request: who asks, the record, and its event. */
const ofRequest = /gatewright_revoked_tokens|insert into "(?:orders|gatewright_events)" .* values/;

/** Milliseconds without a statement after which nothing follows. */
const quietMs = 300;

/** Intervals so long that no timer fires within the test. */
const times = { jobTimes: { poll: 600_000 }, webhookTimes: { poll: 600_000 } } as const;

describeEachDatabase('an event on its way to a webhook', (databases) => {
  const service = useService(databases, {
    application: { resources: [order], migrations },
    env: { WEBHOOK_PRIVATE: '1', LOG_LEVEL: 'warn' },
    times,
  });
  const statements: string[] = [];
  let receiver: Receiver;
  let last = 0;

  const count = ({ sql }: Query): void => {
    // The service asks by itself whether the database is still the same.
    if (sql.includes('gatewright_database')) return;
    last = performance.now();
    statements.push(sql.replace(/\s+/g, ' '));
  };

  const counted = (transaction: Transaction): Transaction => {
    const counting =
      <T>(run: (query: Query) => Promise<T>) =>
      (query: Query) => {
        count(query);
        return run(query);
      };
    return {
      all: counting((query) => transaction.all(query)) as Transaction['all'],
      get: counting((query) => transaction.get(query)) as Transaction['get'],
      run: counting((query) => transaction.run(query)),
    };
  };

  beforeEach(() => {
    const { database } = service.server.services;
    for (const method of ['get', 'all', 'scan', 'execute'] as const) {
      const original = database[method].bind(database) as (query: Query) => Promise<never>;
      vi.spyOn(database, method).mockImplementation((query: Query) => {
        count(query);
        return original(query);
      });
    }
    const write = database.write.bind(database);
    vi.spyOn(database, 'write').mockImplementation(<T>(unit: Unit<T>, options?: WriteOptions) =>
      write((transaction) => unit(counted(transaction)), options),
    );
    return () => vi.restoreAllMocks();
  });

  beforeAll(async () => {
    receiver = await startReceiver();
    return () => receiver.close();
  });

  const quiet = () =>
    vi.waitFor(() => expect(performance.now() - last).toBeGreaterThan(quietMs), { timeout: 10_000 });

  it('an event to one receiver takes at most 15 statements from its commit to the stored outcome', async () => {
    const token = await service.admin();
    const ann = await service.createUser();
    await service.ok('POST', '/admin/webhooks', {
      token,
      body: { webhook: { url: receiver.url, models: ['Order'], user_id: ann.id } },
    });
    const deliver = async (title: string): Promise<readonly string[]> => {
      await quiet();
      statements.length = 0;
      await service.ok('POST', '/api/v1/orders', { token: ann, body: { order: { title } } });
      await expect.poll(() => receiver.received.at(-1)?.message.data.record?.['title']).toBe(title);
      await quiet();
      return statements
        .filter((sql) => !ofRequest.test(sql))
        .map((sql) => purposes.find(([, text]) => text.test(sql))?.[0] ?? sql);
    };
    await deliver('the first');
    const rounds: (readonly string[])[] = [];
    for (const title of ['a', 'b', 'c']) rounds.push(await deliver(title));
    // The service reads the log every few seconds, which may fall into a round.
    const [best = []] = rounds.sort((one, other) => one.length - other.length);
    const numbering = databases.dialect === 'postgres' ? [] : ['number new events'];
    expect(best).toEqual(purposes.map(([purpose]) => purpose).filter((each) => !numbering.includes(each)));
    expect(best.indexOf('store the outcome')).toBeLessThan(15);
  });
});
