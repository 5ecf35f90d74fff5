/**
 * Versions, deleted records, counters, repeatable responses and saved views: kept beside the records of an application.
 */

import { removedAfter } from './stored-time.ts';
import { column, table } from './table.ts';

/** Records at each of their versions, with the actor of each write. */
export const historyTable = table(
  'gatewright_history',
  {
    id: column.id(),
    model: column.text({ kept: 'model' }),
    record_id: column.integer(),
    version: column.integer(),
    action: column.text(),
    at: column.time(removedAfter('`HISTORY_DAYS`', 'versions of records before the latest are')),
    actor_kind: column.text(),
    actor_id: column.text({ nullable: true }),
    actor_name: column.text({ nullable: true }),
    actor_key: column.integer({ nullable: true }),
    reason: column.text({ nullable: true, kept: 'log' }),
    before: column.json({ nullable: true, kept: 'values' }),
    after: column.json({ nullable: true, kept: 'values' }),
  },
  {
    indexes: {
      gatewright_history_record: { on: ['model', 'record_id', 'id'] },
    },
  },
);

/** Deleted records that can be restored, with everything that was deleted with them. */
export const deletedRecordsTable = table(
  'gatewright_trash',
  {
    id: column.id(),
    bundle: column.text(),
    kind: column.text(),
    model: column.text({ kept: 'model' }),
    record_id: column.integer(),
    version: column.integer({ nullable: true }),
    record: column.json({ nullable: true, kept: 'values' }),
    field: column.text({ nullable: true, kept: 'field' }),
    target_id: column.integer({ nullable: true }),
    deleted_at: column.time(removedAfter('`TRASH_DAYS`', 'deleted records are')),
    actor_kind: column.text(),
    actor_id: column.text({ nullable: true }),
    actor_name: column.text({ nullable: true }),
    actor_key: column.integer({ nullable: true }),
    reason: column.text({ nullable: true, kept: 'log' }),
  },
  {
    indexes: {
      gatewright_trash_age: { on: ['kind', 'deleted_at'] },
      gatewright_trash_bundle: { on: ['bundle', 'kind'] },
      gatewright_trash_deleted: { on: ['model', 'deleted_at', 'id'], where: "kind = 'first'" },
      gatewright_trash_record: { on: ['model', 'record_id'], where: "kind <> 'reference'" },
    },
  },
);

/** The last number of each count of records. */
export const countsTable = table(
  'gatewright_counts',
  {
    model: column.text({ kept: 'model' }),
    /** The field whose values are counted. */
    field: column.text({ kept: 'field' }),
    /** The reference by which it is counted; empty if by none. */
    per: column.text({ kept: 'field' }),
    /** The referenced record; 0 if there is none. */
    target_id: column.integer(),
    /** 0 if the count never starts again. */
    period: column.integer(),
    last: column.integer(),
  },
  {
    primaryKey: ['model', 'field', 'per', 'target_id', 'period'],
  },
);

/** Successful responses kept for `Idempotency-Key`, 24 hours. */
export const idempotencyKeysTable = table(
  'idempotency_keys',
  {
    /** SHA-256 of principal, method, path and key; primary key. */
    scope: column.text({ primaryKey: true }),
    fingerprint: column.text(),
    status: column.integer(),
    headers: column.text(),
    /** JSON text; null once values in it were dropped or forgotten. */
    data: column.text({ nullable: true, kept: 'answer' }),
    created_at: column.time(removedAfter('24 h', 'the answer to an `Idempotency-Key` is')),
    /** Model of the created record; null for payments. */
    model: column.text({ nullable: true, kept: 'model' }),
  },
  {
    indexes: {
      idempotency_keys_created_at: { on: ['created_at'] },
    },
  },
);

/** Saved views of lists in the administration area. */
export const viewsTable = table(
  'gatewright_views',
  {
    id: column.id(),
    user_id: column.integer({ references: 'users.id', onDelete: 'cascade' }),
    /** `orders` of the application is `records/orders`; a list of the service has its own name. */
    resource: column.text({ kept: 'list' }),
    /** One user has it once for a resource. */
    name: column.text(),
    /** JSON: filter, sort, columns. */
    query: column.json({ kept: 'query' }),
    created_at: column.time('shown'),
    updated_at: column.time('shown'),
    /** Every administrator sees it; only its user changes it. */
    shared: column.boolean({ default: false }),
  },
  {
    indexes: {
      gatewright_views_name_unique: { on: ['user_id', 'resource', 'name'], unique: true },
    },
  },
);
