/** The audit log, and refused requests. */

import { removedAfter } from './stored-time.ts';
import { column, table } from './table.ts';

export const auditTable = table(
  'audit',
  {
    id: column.id(),
    created_at: column.time(removedAfter('90 days', 'security events are')),
    actor_kind: column.text(),
    actor_id: column.text({ nullable: true }),
    actor_name: column.text({ nullable: true }),
    action: column.text(),
    target_kind: column.text({ kept: 'log' }),
    target_id: column.text({ nullable: true, kept: 'log' }),
    target_name: column.text({ nullable: true, kept: 'log' }),
    /** JSON object: what changed, never a secret. */
    detail: column.json({ kept: 'log' }),
    address: column.text({ nullable: true }),
  },
  {
    indexes: {
      audit_created_at: { on: ['created_at', 'id'] },
      audit_failed_sign_ins: {
        on: ['created_at', 'id'],
        where: "action in ('sign_in.failed', 'sign_in.locked')",
      },
    },
  },
);

/** Requests that were refused, for a day. */
export const refusalsTable = table(
  'gatewright_refusals',
  {
    id: column.id(),
    /** Hash of hour, caller, request and code: repeated refusals are counted. */
    fingerprint: column.text(),
    refused_at: column.time(removedAfter('24 h', 'refused requests are')),
    first_at: column.time('shown'),
    refusals: column.integer(),
    caller_kind: column.oneOf(['user', 'api_key', 'application']),
    caller_id: column.text(),
    caller_name: column.text(),
    method: column.text(),
    path: column.text({ kept: 'log' }),
    status: column.integer(),
    code: column.integer(),
    address: column.text(),
  },
  {
    indexes: {
      gatewright_refusals_fingerprint_unique: { on: ['fingerprint'], unique: true },
      gatewright_refusals_refused_at: { on: ['refused_at'] },
    },
  },
);
