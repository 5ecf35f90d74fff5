/** Checksums of tables, equal on every database, by which a copy or a move is verified. */

import { createHash, hash } from 'node:crypto';
import { errorMessage } from '../kernel/error-message.ts';
import { readTables } from './migrations/read-tables.ts';
import type { CanonicalRow, TableSnapshot } from './target.ts';

/** The checksum of a table: the same on every database for the same rows in columns of the same names. */
export interface TableChecksum {
  readonly rows: number;
  /** 64 lowercase hex digits. */
  readonly sha256: string;
}

/** Checksums by names of tables. */
export type TableChecksums = Readonly<Record<string, TableChecksum>>;

/** Called with a table and the number of its rows so far. */
export type ChecksumProgress = (table: string, rows: number) => void;

const lanes = 8;
const laneSize = 2 ** 32;

/**
 * The sum of the SHA-256 of each row modulo 2²⁵⁶. So rows need no order, which would differ between databases, and a
 * row that occurs twice counts twice.
 */
class RowSum {
  readonly #sum = new Uint32Array(lanes);
  rows = 0;

  add(row: CanonicalRow): void {
    let text = '';
    for (const value of row) text += value === null ? '-' : `${value.length}:${value}`;
    const digest = hash('sha256', text, 'buffer');
    let carry = 0;
    for (let lane = 0; lane < lanes; lane += 1) {
      const sum = (this.#sum[lane] ?? 0) + digest.readUInt32LE(lane * 4) + carry;
      this.#sum[lane] = sum;
      carry = sum >= laneSize ? 1 : 0;
    }
    this.rows += 1;
  }

  digest(columns: readonly string[]): string {
    return createHash('sha256').update(JSON.stringify(columns)).update(this.#sum).digest('hex');
  }
}

/** Computes the checksum of one table, in constant memory. `columns`: the columns to include, in any order. */
export const tableChecksum = async (
  snapshot: TableSnapshot,
  table: string,
  columns: Iterable<string>,
  onProgress: ChecksumProgress = () => {},
): Promise<TableChecksum> => {
  const sorted = [...columns].sort();
  const sum = new RowSum();
  try {
    for await (const rows of snapshot.rows(table, sorted)) {
      for (const row of rows) sum.add(row);
      onProgress(table, sum.rows);
    }
  } catch (cause) {
    // Neither database names the table whose page it cannot read.
    if (!snapshot.isDamage(cause)) throw cause;
    throw new Error(`the table ${table} is damaged: ${errorMessage(cause)} (see docs/reference/damage.md)`, {
      cause,
    });
  }
  return { rows: sum.rows, sha256: sum.digest(sorted) };
};

/**
 * Checksums of every table of a database, the service's own included, in the order of their names.
 * @param isAsked false for tables to leave out; every table unless given
 */
export const tableChecksums = async (
  snapshot: TableSnapshot,
  onProgress: ChecksumProgress = () => {},
  isAsked: (table: string) => boolean = () => true,
): Promise<TableChecksums> => {
  const tables = await readTables(snapshot.ask, snapshot.dialect);
  const checksums: [string, TableChecksum][] = [];
  for (const table of [...tables.keys()].filter(isAsked).sort()) {
    const columns = tables.get(table)?.columns.keys() ?? [];
    checksums.push([table, await tableChecksum(snapshot, table, columns, onProgress)]);
  }
  return Object.fromEntries(checksums);
};

/** The differences from the wanted checksums as clauses, e.g. `users has 3 rows and not 4`. */
export const checksumDifferences = (wanted: TableChecksums, found: TableChecksums): readonly string[] => {
  const tables = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].sort();
  return tables.flatMap((table) => {
    const [want, have] = [wanted, found].map((all) => (Object.hasOwn(all, table) ? all[table] : undefined));
    if (want === undefined) return `${table} is one table too many`;
    if (have === undefined) return `${table} is missing`;
    if (want.rows !== have.rows) return `${table} has ${have.rows} rows and not ${want.rows}`;
    return want.sha256 === have.sha256 ? [] : `${table} has rows with other values`;
  });
};
