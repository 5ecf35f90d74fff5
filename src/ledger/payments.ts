/** The store of signed payments: a repeated request finds the receipt of the first one. */

import { createHash } from 'node:crypto';
import type { Transaction } from '../database/database.ts';
import { prepare, toQuery } from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import { toTimestamp } from '../kernel/clock.ts';
import { type Json, type JsonObject, own } from '../kernel/json.ts';
import type { TableContext } from './context.ts';

export interface Payment {
  readonly appId: string;
  /** The signed timestamp, as the text of its header. */
  readonly timestamp: string;
  readonly bytes: Uint8Array;
  readonly body: JsonObject;
}

/** The receipt of a payment; the middle three values are from the body, null if absent. */
export interface Receipt {
  readonly id: number;
  readonly app_id: string;
  readonly order_no: Json;
  readonly amount: Json;
  readonly currency: Json;
  readonly status: 'received';
  readonly created_at: string;
}

/** The same application, timestamp and body make the same signed request. */
export const paymentFingerprint = ({ appId, timestamp, bytes }: Payment): string =>
  createHash('sha256').update(`${appId}\n${timestamp}\n`).update(bytes).digest('hex');

interface PaymentRow {
  readonly id: number;
  readonly app_id: string;
  readonly body: string;
  readonly created_at: string;
}

const receiptOf = (row: PaymentRow, body: JsonObject): Receipt => ({
  id: row.id,
  app_id: row.app_id,
  order_no: own(body, 'order_no') ?? null,
  amount: own(body, 'amount') ?? null,
  currency: own(body, 'currency') ?? null,
  status: 'received',
  created_at: toTimestamp(new Date(row.created_at).getTime()),
});

const jsonOrNull = (value: Json | undefined): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value);

/** Payments as they were received. */
export const createPaymentStore = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);
  const byFingerprint = prepare<{ fingerprint: string }>((param) =>
    db
      .selectFrom('payments')
      .select(['id', 'app_id', 'body', 'created_at'])
      .where('fingerprint', '=', param('fingerprint')),
  );

  return {
    /** The receipt of an equal earlier request; undefined if there is none. */
    find: async (payment: Payment): Promise<Receipt | undefined> => {
      const row = await database.get<PaymentRow>(byFingerprint({ fingerprint: paymentFingerprint(payment) }));
      return row === undefined ? undefined : receiptOf(row, payment.body);
    },

    /** Stores the payment, or returns the receipt of an equal earlier request. */
    receive: async (transaction: Transaction, payment: Payment): Promise<Receipt> => {
      const fingerprint = paymentFingerprint(payment);
      const insert = db
        .insertInto('payments')
        .values({
          app_id: payment.appId,
          fingerprint,
          body: Buffer.from(payment.bytes).toString('utf8'),
          order_no: jsonOrNull(own(payment.body, 'order_no')),
          amount: jsonOrNull(own(payment.body, 'amount')),
          currency: jsonOrNull(own(payment.body, 'currency')),
          status: 'received',
          created_at: toTimestamp(clock()),
        })
        .onConflict((conflict) => conflict.column('fingerprint').doNothing());
      await transaction.run(toQuery(insert));
      const row = await transaction.get<PaymentRow>(byFingerprint({ fingerprint }));
      if (row === undefined) throw new Error('a payment is not there after it was stored');
      return receiptOf(row, payment.body);
    },
  };
};

export type PaymentStore = ReturnType<typeof createPaymentStore>;
