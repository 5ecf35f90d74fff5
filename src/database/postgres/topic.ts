import { BoundedCache } from '../../kernel/bounded-cache.ts';

/** What a text names first behind FROM, INTO or UPDATE: the table that it is about, as a rule. */
const table = /\b(?:from|into|update)\s+"?(?<table>[\w$]+)/i;

/** By SQL; an entry never becomes untrue, as it is read from its key. */
const known = new BoundedCache<{ readonly topic: string }>(1_000);

/**
 * The table that a statement is about; empty where it names none. Statements are put together by it, nothing more: one
 * that waits for the lock of another table counts under its own.
 */
export const topicOf = (sql: string): string =>
  known.getOrMake(sql, () => ({ topic: table.exec(sql)?.groups?.['table']?.toLowerCase() ?? '' })).topic;
