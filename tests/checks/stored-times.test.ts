import { expect, it } from 'vitest';
import { createApplication } from '../../src/app/application.ts';
import { applyMigrations } from '../../src/app/migrate.ts';
import { storedTimes, timeBounds } from '../../src/app/stored-times.ts';
import type { OpenDatabase } from '../../src/database/database.ts';
import { mendTimes, type TimeBound } from '../../src/database/mend-times.ts';
import { shownTimes } from '../../src/database/tables/own-tables.ts';
import { databaseTarget } from '../../src/database/targets.ts';
import { type Databases, describeEachDatabase } from '../support/databases.ts';

const day = 86_400_000;
const query = (sql: string) => ({ sql, parameters: [] });
const quoted = (time: number): string => `'${new Date(time).toISOString()}'`;

/** A row of each table with a bound, all of its times in order. */
const rowsAt = (now: number, { dialect }: Databases): readonly string[] => {
  const at = quoted(now - 60_000);
  return [
    `insert into users (id, username, username_canonical, email, email_canonical, name, password_hash, created_at, updated_at)
      values (1, 'u', 'u', 'e', 'e', '', '', ${at}, ${at})`,
    `insert into api_keys (id, user_id, name, key_hash, key_prefix, created_at, last_used_at)
      values (1, 1, 'k', 'h', 'p', ${at}, ${at})`,
    `insert into gatewright_former_secrets (key_hash, key_id, key_prefix, replaced_at, ends_at, last_used_at)
      values ('f', 1, 'p', ${at}, ${at}, ${at})`,
    `insert into sessions (id, user_id, session_hash, address, user_agent, created_at, last_used_at)
      values (1, 1, 'h', '', '', ${at}, ${at})`,
    `insert into gatewright_session_tokens (session_id, generation, expiry, used_at) values (1, 0, 0, ${at})`,
    `insert into application_usage (app_id, last_used_at) values ('a', ${at})`,
    `insert into login_attempts (key, failures, pending, window_started, pending_until)
      values ('k', 10, 1, ${now - 60_000}, ${now})`,
    `insert into gatewright_sign_in_tickets (token_hash, user_id, security_stamp, expires_at) values ('h', 1, 0, ${at})`,
    `insert into gatewright_factor_setups (session_id, kind, secret, expires_at) values (1, 'totp', '', ${at})`,
    `insert into gatewright_invitations (user_id, token_hash, created_at, expires_at) values (1, 'h', ${at}, ${at})`,
    `insert into gatewright_account_links (purpose, account, canonical, locale, created_at, expires_at)
      values ('email', 'a', 'a', 'en', ${at}, ${at})`,
    `insert into gatewright_sign_in_codes (code_hash, user_id, security_stamp, second_factor, expires_at)
      values ('h', 1, 0, false, ${at})`,
    `insert into gatewright_totp (user_id, secret, last_step, created_at) values (1, '', 1, ${at})`,
    `insert into gatewright_webhooks (id, url, models, actions, secret, previous_until, cursor, lane_until, created_at, updated_at)
      values (1, '', '[]', '[]', '', ${at}, 0, ${at}, ${at}, ${at})`,
    `insert into gatewright_deliveries (id, webhook_id, event, model, record_id, action, version, message_id, state, next_at, created_at)
      values (1, 1, 1, '', 1, '', 1, '', 'waiting', ${at}, ${at})`,
    `insert into gatewright_jobs (id, name, input, state, available_at, created_at)
      values (1, 'j', '{}', 'waiting', ${at}, ${at})`,
  ].map((row) =>
    dialect === 'postgres' && row.includes('(id, ')
      ? row.replace(/\)\s+values/, ') overriding system value values')
      : row,
  );
};

/** Other values of a row for which a bound holds, where its own column does not say it all. */
const besides = ({ table, column, mostMs }: TimeBound, time: string): string => {
  if (table === 'gatewright_jobs' && mostMs === 0) return `, created_at = ${time}`;
  if (table === 'gatewright_jobs' && mostMs < 3_600_000) return `, state = 'running', lease = 'x'`;
  if (table === 'gatewright_jobs') return `, started_at = created_at`;
  return column === 'next_at' && mostMs < day ? `, claim = 'x'` : '';
};

const migrated = async (databases: Databases, now: number): Promise<OpenDatabase> => {
  const url = await databases.create();
  await applyMigrations(databaseTarget(url), createApplication({}));
  const database = await databases.open(url);
  for (const row of rowsAt(now, databases)) await database.execute(query(row));
  return database;
};

describeEachDatabase('stored times', (databases) => {
  const written = ({ unitMs }: TimeBound, time: number): string =>
    unitMs === undefined ? quoted(time) : String(Math.floor(time / unitMs));
  const read = async (database: OpenDatabase, { table, column, unitMs, set }: TimeBound) => {
    const row = await database.get<{ time: string; written: string | null }>(
      query(
        `select cast(${column} as text) as time, cast(${set?.column ?? column} as text) as written from ${table}`,
      ),
    );
    const timeOf = (text: string | null | undefined) =>
      text == null ? undefined : unitMs === undefined ? Date.parse(text) : Number(text) * unitMs;
    return { time: timeOf(row?.time), written: timeOf(row?.written) };
  };
  const mend = async (database: OpenDatabase, now: number): Promise<string[]> => {
    const mended: string[] = [];
    await mendTimes(database, timeBounds, now, (column) => mended.push(column));
    return mended;
  };

  it('stored times that were written two days ahead are set again, once; those within their length and behind stay', async () => {
    const now = Date.now();
    const database = await migrated(databases, now);
    expect(await mend(database, now)).toEqual([]);
    expect(timeBounds.length).toBeGreaterThan(15);
    for (const bound of timeBounds) {
      const { table, column, mostMs, set } = bound;
      const change = async (time: number) => {
        const value = written(bound, time);
        await database.execute(query(`update ${table} set ${column} = ${value}${besides(bound, value)}`));
      };
      await database.execute(query(`update gatewright_jobs set started_at = null, state = 'waiting'`));
      await database.execute(query(`update gatewright_deliveries set claim = null`));
      for (const time of [now + mostMs, now + mostMs - 2 * day]) {
        await change(time);
        expect([column, await mend(database, now)]).toEqual([column, []]);
        expect((await read(database, bound)).time).toBe(
          Math.floor(time / (bound.unitMs ?? 1)) * (bound.unitMs ?? 1),
        );
      }
      await change(now + mostMs + 2 * day);
      expect([column, await mend(database, now)]).toEqual([column, [`${table}.${column}`]]);
      const { written: after } = await read(database, bound);
      if (set === undefined) expect([column, after]).toEqual([column, undefined]);
      else expect(Math.abs((after ?? 0) - now - set.aheadMs)).toBeLessThan(60_000);
      expect([column, await mend(database, now)]).toEqual([column, []]);
      // Deleted rows come back for the next ones; ended ones are as before.
      for (const row of rowsAt(now, databases))
        await database.execute(query(`${row} on conflict do nothing`));
      await database.execute(query(`update ${table} set ${column} = ${written(bound, now - 60_000)}`));
    }
  });

  it('leaves a job alone that an application wants to run at a time of its own', async () => {
    const now = Date.now();
    const database = await migrated(databases, now);
    await database.execute(query(`update gatewright_jobs set available_at = ${quoted(now + 400 * day)}`));
    expect(await mend(database, now)).toEqual([]);
  });

  it('stored times are all in the table, or in the list of those that decide nothing', async () => {
    const database = await migrated(databases, Date.now());
    const columns = await database.all<{ place: string; type: string }>(
      query(
        databases.dialect === 'sqlite'
          ? `select m.name || '.' || p.name as place, p.type as type from sqlite_master m join pragma_table_info(m.name) p
              where m.type = 'table' and m.name not like 'sqlite_%'`
          : `select table_name || '.' || column_name as place, data_type as type from information_schema.columns
              where table_schema = current_schema()`,
      ),
    );
    const times = columns
      .filter(
        ({ place, type }) =>
          type.startsWith('timestamp') ||
          /(_at|_until|_started|_step|\.at|\.day|\.hour|_on|_time)$/.test(place),
      )
      .map(({ place }) => place)
      .filter((place) => !place.startsWith('gatewright_migrations.'));
    const known = [...storedTimes.map(({ place }) => place), ...shownTimes];
    expect(times.filter((place) => !known.includes(place))).toEqual([]);
    const missing = known.filter((place) => /^[a-z_]+\.[a-z_]+$/.test(place) && !times.includes(place));
    expect(missing).toEqual([]);
  });
});
