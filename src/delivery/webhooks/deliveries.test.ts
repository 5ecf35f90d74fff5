import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { applyMigrations } from '../../app/migrate.ts';
import { databaseTarget } from '../../database/targets.ts';
import type { RecordedEvent } from '../../ledger/event-log.ts';
import { Deliveries, DeliverySettlement, type LeasedWebhook, WebhookLeases } from './deliveries.ts';

const event = (number: number, record: number): RecordedEvent => ({
  number,
  model: 'Order',
  record,
  version: 1,
  action: 'create',
  at: '2026-01-01T00:00:00.000Z',
  actor: { kind: 'service', id: null, name: null, key: null, reason: null } as RecordedEvent['actor'],
  fields: [],
  reach: null,
});

const leaseMs = 60_000;

describeEachDatabase('new deliveries of a webhook', (databases) => {
  const options = (room: number) => ({ room, leaseMs, messageId: randomUUID });

  /** A webhook whose lease is taken, with the columns of its deliveries. */
  const leased = async () => {
    const url = await databases.create();
    await applyMigrations(databaseTarget(url), { migrations: {} });
    const database = await databases.open(url);
    const sql = (text: string) => database.execute<{ id: number }>({ sql: text, parameters: [] });
    const [row] =
      await sql(`insert into gatewright_webhooks (url, models, actions, secret, cursor, created_at, updated_at)
        values ('https://example.com', '["Order"]', '["create"]', 's', 0, '2026-01-01T00:00:00.000Z',
        '2026-01-01T00:00:00.000Z') returning id`);
    const context = { database, clock: () => Date.now() };
    const deliveries = new Deliveries(context);
    const webhook = await new WebhookLeases(database).take(Number(row?.id), 'lease', leaseMs);
    if (webhook === undefined) throw new Error('the lease was not taken');
    const rows = async () => {
      const found = await database.all<Record<'event' | 'attempts' | 'timed' | 'claim', unknown>>({
        sql: `select event, attempts, claim, case when next_at is null then 0 else 1 end as timed
          from gatewright_deliveries order by id`,
        parameters: [],
      });
      return found.map(({ event: of, attempts, timed, claim }) => [Number(of), attempts, timed, claim]);
    };
    const add = (from: number, to: number, events: readonly RecordedEvent[], room: number, of = webhook) =>
      deliveries.add(of, from, to, events, options(room));
    return { sql, deliveries, settlement: new DeliverySettlement(context), webhook, rows, add };
  };

  const claimedOf = (added: Awaited<ReturnType<Deliveries['add']>>) =>
    added?.claimed.map((each) => [each.event, each.record, each.attempts, each.claim]);

  it('new deliveries are claimed at once, one of each record, and the next waits for it', async () => {
    const { add, rows, deliveries, settlement, webhook } = await leased();
    const added = await add(0, 3, [event(1, 1), event(2, 1), event(3, 2)], 5);
    expect([claimedOf(added), added?.hasMore]).toEqual([
      [
        [1, 1, 1, 'lease'],
        [3, 2, 1, 'lease'],
      ],
      false,
    ]);
    expect(await rows()).toEqual([
      [1, 1, 1, 'lease'],
      [2, 0, 0, null],
      [3, 1, 1, 'lease'],
    ]);
    // A later one of a record that waits is not claimed either.
    expect(claimedOf(await add(3, 4, [event(4, 2)], 5))).toEqual([]);
    const [first] = added?.claimed ?? [];
    if (first === undefined) throw new Error('nothing was claimed');
    const skipped = { state: 'skipped', error: 'event_gone' } as const;
    const [settled] = await settlement.settle(webhook.id, [{ delivery: first, outcome: skipped }]);
    expect(settled).toEqual({ isStored: true, nextIsDue: true });
    const due = await deliveries.claim(webhook.id, webhook.lease, 5, leaseMs, false);
    expect(due.map((each) => each.event)).toEqual([2]);
  });

  it('new deliveries are due where there is no room to claim them', async () => {
    const { add, rows } = await leased();
    const events = [event(1, 1), event(2, 2), event(3, 2), event(4, 3)];
    const added = await add(0, 4, events, 1);
    expect([claimedOf(added), added?.hasMore]).toEqual([[[1, 1, 1, 'lease']], true]);
    expect(await rows()).toEqual([
      [1, 1, 1, 'lease'],
      [2, 0, 1, null],
      [3, 0, 0, null],
      [4, 0, 1, null],
    ]);
  });

  it.each([
    ['its cursor was moved', 'cursor = 1'],
    ['it was disabled', 'disabled = true'],
    ['its lease was lost', `lane = 'another'`],
    ['it subscribes to other models', `models = '["Order", "Note"]'`],
    ['it subscribes to other actions', `actions = '["destroy"]'`],
  ])('new deliveries are not added if meanwhile %s', async (_what, change) => {
    const { add, rows, sql } = await leased();
    await sql(`update gatewright_webhooks set ${change}`);
    expect([await add(0, 2, [event(2, 1)], 5), await rows()]).toEqual([undefined, []]);
  });

  it('new deliveries are not added twice, and their claims end with the lease of a process that died', async () => {
    const { add, sql, deliveries, webhook } = await leased();
    await add(0, 1, [event(1, 1)], 5);
    expect(await add(0, 1, [event(1, 1)], 5)).toBe(undefined);
    const other: LeasedWebhook = { ...webhook, lease: 'another' };
    const claim = () => deliveries.claim(other.id, other.lease, 5, leaseMs, false);
    await sql(`update gatewright_webhooks set lane = 'another'`);
    expect(await claim()).toEqual([]);
    await sql(`update gatewright_deliveries set next_at = '2020-01-01T00:00:00.000Z'`);
    expect(await claim()).toMatchObject([{ event: 1, attempts: 2, claim: 'another' }]);
  });
});
