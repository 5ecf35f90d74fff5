/** Errors of PostgreSQL and its driver by meaning: conflict, stale plan, lost session, unknown outcome, damage. */

import { DatabaseError } from 'pg';
import { overloaded, Problem } from '../../kernel/problem.ts';
import { ConstraintError, type ConstraintKind, TooLongError } from '../database.ts';
import { databaseDamaged, databaseUnavailable, originalError, outcomeUnknown } from '../problems.ts';

/** SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const constraints: Readonly<Record<string, ConstraintKind>> = {
  '23001': 'foreign_key',
  '23502': 'not_null',
  '23503': 'foreign_key',
  '23505': 'unique',
  '23514': 'check',
  // Longer than the column of another program takes.
  '22001': 'check',
};

/** Connection, resources, shutdown by an operator, I/O; read-only; and conflicts that lasted. */
const outage = /^(?:08|53|57P|58|25006|25P03|55P03|28|3D000|40001|40P01)/;

/** `data_corrupted`, `index_corrupted`. */
const damage = /^XX00[12]$/;

/** `program_limit_exceeded`: a text without end, or the one that `fits` gave up. */
const limitExceeded = '54000';

const queryCanceled = '57014';

/**
 * A number beyond a column of 32 or 16 bits, as tables of other programs have for ids: no row has it. Of values in
 * bodies the fields know the bounds.
 */
const isBeyondColumn = ({ code, routine }: DatabaseError): boolean =>
  code === '22003' && /^pg_strtoint(?:16|32)/.test(routine ?? '');

const isServerError = (error: unknown): error is DatabaseError => error instanceof DatabaseError;

/** Our constraints are named `<table>_<column>_unique`; the message would be in the server's language. */
const columnsOf = ({ table, constraint }: DatabaseError): string[] => {
  const prefix = `${table}_`;
  if (table === undefined || constraint === undefined) return [];
  return constraint.startsWith(prefix) && constraint.endsWith('_unique')
    ? [constraint.slice(prefix.length, -'_unique'.length)]
    : [];
};

/**
 * Another transaction came first; the same unit may succeed when it is run again. Takes the driver's error or the
 * problem made of it.
 */
export const isConflict = (error: unknown): boolean => {
  const cause = error instanceof Problem ? error.cause : error;
  return isServerError(cause) && (cause.code === '40001' || cause.code === '40P01');
};

/**
 * The session knows no statement by this name, or knows one already: a connection pooler gave it to somebody else in
 * between. The statement did not run.
 */
export const isForeignSession = (error: unknown): boolean =>
  isServerError(error) && (error.code === '26000' || error.code === '42P05');

/**
 * The session's prepared statement no longer fits: a migration of another instance changed a table, or a connection
 * pooler gave the session to somebody else. The statement did not run.
 */
export const isStalePlan = (error: unknown): boolean =>
  isForeignSession(error) ||
  (isServerError(error) && error.code === '0A000' && error.routine === 'RevalidateCachedQuery');

/**
 * The session is with a server that takes no writes: one that stands by, was the first before a failover, or whose
 * operator said so when the session began. Another session may be with another server.
 */
export const isReadOnly = (error: unknown, sql: string): boolean =>
  isServerError(error) &&
  (error.code === '25006' ||
    // A standby server has no serializable transactions.
    (error.code === '0A000' && sql.startsWith('begin')));

/** True if a statement waited for a lock until `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => {
  const original = originalError(error);
  return isServerError(original) && original.code === '55P03';
};

/** Disk full, out of memory, I/O error, read-only. */
const unwritable = /^(?:53[12]|58030|25006)/;

export const isWriteRefusal = (error: unknown): boolean => {
  const original = originalError(error);
  return isServerError(original) && unwritable.test(original.code ?? '');
};

/** The words of the server about damaged data; undefined for any other error. */
export const damageIn = (error: unknown): string | undefined => {
  const original = originalError(error);
  return isServerError(original) && damage.test(original.code ?? '') ? original.message : undefined;
};

/** True if the session is lost, or in an unknown state: it must not be used again. */
export const isSessionLost = (error: unknown): boolean =>
  isServerError(error) ? error.severity === 'FATAL' || /^(?:08|57P)/.test(error.code ?? '') : true;

/** A value that the driver could not write or read: a mistake of ours, not the server's absence. */
const isProgrammingError = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;

/** The driver had lost the connection before, and sent nothing. */
const wasNeverSent = (error: unknown): boolean =>
  error instanceof Error && /not queryable/.test(error.message);

/** How a statement changes the database: not at all, in a transaction of its own, or by ending one. */
export type Effect = 'none' | 'own' | 'commit';

/**
 * True if a statement may stand although it failed: it was sent, and no answer came, or one of a pooler that lost the
 * server. A server that ends a session has undone the statement that it was at, but says the same behind a COMMIT.
 */
const isCommitOutcomeUnknown = (error: unknown, effect: Effect): boolean => {
  if (effect === 'none' || isProgrammingError(error)) return false;
  if (!isServerError(error)) return !wasNeverSent(error);
  return error.code?.startsWith('08') === true || (effect === 'commit' && error.severity === 'FATAL');
};

/** The error that callers of the store see instead of one of a statement that was to change something. */
export const toStatementError = (error: unknown, effect: Effect): unknown =>
  isCommitOutcomeUnknown(error, effect) ? outcomeUnknown(error) : toDatabaseError(error);

/** The error that callers of the store see instead of one of the driver. */
export const toDatabaseError = (error: unknown): unknown => {
  if (isProgrammingError(error)) return error;
  if (!isServerError(error)) return databaseUnavailable(error);
  const { code = '' } = error;
  const kind = constraints[code];
  if (kind !== undefined) return new ConstraintError(kind, kind === 'unique' ? columnsOf(error) : [], error);
  if (isBeyondColumn(error)) return new Problem('record_not_found', { cause: error });
  if (code === limitExceeded) return new TooLongError(error);
  if (code === queryCanceled) return overloaded(error);
  if (damage.test(code)) return databaseDamaged(error);
  return outage.test(code) ? databaseUnavailable(error) : error;
};
