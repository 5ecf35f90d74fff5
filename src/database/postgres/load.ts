/** Loader that fills the tables of a PostgreSQL database when another one is moved into it. */

import { Client } from 'pg';
import { quoteName } from '../quote.ts';
import type { ServiceNames } from '../service-names.ts';
import type { TableLoader } from '../target.ts';
import { postgresDialectWith } from './dialect.ts';
import { assertClientSettings, sessionSettings } from './session.ts';

/**
 * A type that a text is cast to: without its length or precision, which the column demands itself, since a cast would
 * cut what is too long.
 */
const castTo = (declared: string): string => {
  const type = declared.replace(/ collate .*$/, '').replace(/\(\d+(?:,\d+)?\)/, '');
  return /^(?:character|bpchar|"char")/.test(type) ? 'text' : type;
};

/** A number of the program's own; any other would do. */
const loading = 7118540126532471n;

const insertInto =
  (client: Client, own: ServiceNames): TableLoader['insert'] =>
  async (table, columns, rows) => {
    const names = columns.map(({ name }) => quoteName(name));
    const values = columns.map(({ type }, index) => `_${index}::${castTo(type)}`);
    const lists = columns.map((_, index) => `$${index + 1}::text[]`);
    const aliases = columns.map((_, index) => `_${index}`);
    await client.query({
      text: `insert into ${own.quoted(table)} (${names.join(', ')}) overriding system value
        select ${values.join(', ')} from unnest(${lists.join(', ')}) as _row(${aliases.join(', ')})`,
      values: columns.map((_, index) => rows.map((row) => row[index] ?? null)),
    });
  };

export const onPostgresLoader = async <T>(
  url: string,
  own: ServiceNames,
  work: (loader: TableLoader) => Promise<T>,
): Promise<T> => {
  const client = new Client(sessionSettings(url, { statementTimeout: 0, idleTimeout: 0, lockTimeout: 0 }));
  // The next statement reports a connection that is lost meanwhile.
  client.on('error', () => {});
  try {
    await client.connect();
    await assertClientSettings(client);
    // One at a time. The server may still run the last statement of a lost connection, which has the lock until then.
    await client.query(`select pg_advisory_lock(${own.lock(loading)})`);
    return await work({
      dialect: postgresDialectWith(own),
      ask: async <Row>(sql: string) => (await client.query(sql)).rows as Row[],
      run: async (sql) => void (await client.query(sql)),
      transaction: async (unit) => {
        await client.query('begin');
        try {
          const result = await unit();
          await client.query('commit');
          return result;
        } catch (error) {
          await client.query('rollback').catch(() => {});
          throw error;
        }
      },
      insert: insertInto(client, own),
    });
  } finally {
    await client.end().catch(() => {});
  }
};
