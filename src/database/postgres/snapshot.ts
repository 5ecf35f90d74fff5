/** One state of all tables of a PostgreSQL database, each value as the text that it has on every database. */

import { Client } from 'pg';
import { behind, quoteName, quoteText } from '../quote.ts';
import type { ServiceNames } from '../service-names.ts';
import type { CanonicalRow, TableSnapshot } from '../target.ts';
import { postgresDialectWith } from './dialect.ts';
import { damageIn } from './errors.ts';
import { assertClientSettings, sessionSettings } from './session.ts';

/** Rows fetched at first, and at most; what is fetched is in memory. */
const firstRows = 64;
const mostRows = 10_000;

/** UTF-16 units of texts in a batch, about. */
const batchLength = 1 << 20;

const isFloat = (type: string): boolean => type === 'double precision' || type === 'real';

/** SQL of a column as the text that it has on every database; that of a float is JavaScript's. */
const rendered = (column: string, type: string): string => {
  const value = quoteName(column);
  if (type === 'boolean') return `${value}::integer::text`;
  if (type === 'timestamp(3) with time zone')
    return `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return `${value}::text`;
};

const typesOf = async (client: Client, quotedTable: string): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select attname::text as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = (${quoteText(quotedTable)})::regclass
       and attnum > 0 and not attisdropped`,
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
};

async function* rowsOf(
  client: Client,
  quotedTable: string,
  columns: readonly string[],
  from: Parameters<TableSnapshot['rows']>[2],
): AsyncIterableIterator<readonly CanonicalRow[]> {
  const types = await typesOf(client, quotedTable);
  const list = columns.map((column) => rendered(column, types.get(column) ?? ''));
  const floats = columns.map((column) => isFloat(types.get(column) ?? ''));
  await client.query(
    `declare _rows no scroll cursor for select ${list.join(', ') || 'null'} from ${quotedTable} ${behind(quotedTable, from)}`,
  );
  for (let count = firstRows; ; ) {
    const { rows } = await client.query<(string | null)[]>({
      text: `fetch ${count} from _rows`,
      rowMode: 'array',
    });
    if (rows.length > 0)
      yield floats.includes(true)
        ? rows.map((row) =>
            row.map((value, at) => (floats[at] && value !== null ? String(Number(value)) : value)),
          )
        : rows;
    if (rows.length < count) break;
    const length = rows.reduce((sum, row) => row.reduce((all, value) => all + (value?.length ?? 0), sum), 1);
    count = Math.max(1, Math.min(mostRows, count * 2, Math.floor((batchLength * count) / length)));
  }
  await client.query('close _rows');
}

/** The state that the transaction of a connection sees. */
const snapshotOf = (client: Client, names: ServiceNames): TableSnapshot => ({
  dialect: postgresDialectWith(names),
  ask: async <Row>(sql: string) => (await client.query(sql)).rows as Row[],
  rows: (table, columns, from) => rowsOf(client, names.quoted(table), columns, from),
  isDamage: (error) => damageIn(error) !== undefined,
});

/** `onPostgresSnapshot` with the connection, whose transaction others can share by `pg_export_snapshot()`. */
export const onSharedSnapshot = async <T>(
  url: string,
  names: ServiceNames,
  work: (snapshot: TableSnapshot, client: Client) => Promise<T>,
): Promise<T> => {
  const client = new Client(sessionSettings(url, { statementTimeout: 0, idleTimeout: 0, lockTimeout: 0 }));
  // The next statement reports a connection that is lost meanwhile.
  client.on('error', () => {});
  try {
    await client.connect();
    await assertClientSettings(client);
    await client.query('begin isolation level repeatable read, read only');
    return await work(snapshotOf(client, names), client);
  } finally {
    await client.end().catch(() => {});
  }
};

export const onPostgresSnapshot = <T>(
  url: string,
  names: ServiceNames,
  work: (snapshot: TableSnapshot) => Promise<T>,
): Promise<T> => onSharedSnapshot(url, names, (snapshot) => work(snapshot));
