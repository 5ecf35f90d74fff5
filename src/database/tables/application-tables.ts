/** Applications that sign their requests: their payments, their last use, their nonces. */

import { setToNow } from './stored-time.ts';
import { column, table } from './table.ts';

export const paymentsTable = table(
  'payments',
  {
    id: column.id(),
    app_id: column.text(),
    /** SHA-256 of app_id, timestamp and body: the same signed request again is the same payment. */
    fingerprint: column.text(),
    body: column.json(),
    order_no: column.json({ nullable: true }),
    amount: column.json({ nullable: true }),
    currency: column.json({ nullable: true }),
    status: column.text(),
    created_at: column.time('shown'),
  },
  {
    indexes: {
      payments_app_id: { on: ['app_id', 'id'] },
      payments_fingerprint_unique: { on: ['fingerprint'], unique: true },
    },
  },
);

export const applicationUsageTable = table('application_usage', {
  app_id: column.text({ primaryKey: true }),
  last_used_at: column.time({
    decides: 'when an application was last seen; an earlier use does not replace it',
    mostMs: 0,
    set: setToNow,
    wasAhead: 'counts as used now',
    wasBehind: 'the next use corrects it',
  }),
});

/** Nonces of signed requests that were accepted; a row is removed after its expiry (Unix seconds). */
export const noncesTable = table(
  'gatewright_nonces',
  {
    app_id: column.text(),
    nonce: column.text(),
    expiry: column.integer(),
  },
  {
    primaryKey: ['app_id', 'nonce'],
    indexes: {
      gatewright_nonces_expiry: { on: ['expiry'] },
    },
  },
);
