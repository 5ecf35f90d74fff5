/**
 * SQL to move a PostgreSQL database: its fence against writes, its counters of ids, and what is in the way of a load.
 */

import type { IdCounter, MoveDialect } from '../dialect.ts';
import { fenceMessage } from '../fence.ts';
import { quoteName, quoteText } from '../quote.ts';
import type { ServiceNames } from '../service-names.ts';
import { fenceName } from '../service-names.ts';
import { foundTableName, isOurNamespace } from './schemas.ts';

/** Types of which every value is the same text on every database. */
const portable =
  /^(?:text|character varying|varchar|bigint|integer|smallint|boolean|timestamptz\(3\)|date|time\(0\)|uuid|json|double precision|bytea)(?:\(\d+\))?(?: collate .*)?$/;

const foreignKeys = (
  names: ServiceNames,
): string => `select 'alter table ' || conrelid::regclass || ' drop constraint ' || quote_ident(conname) as remove,
    'alter table ' || conrelid::regclass || ' add constraint ' || quote_ident(conname) || ' '
      || pg_get_constraintdef(oid) as restore
  from pg_constraint
  where contype = 'f' and ${isOurNamespace('connamespace', names)} and conparentid = 0`;

const triggers = (
  names: ServiceNames,
): string => `select 'alter table ' || tgrelid::regclass || ' disable trigger ' || quote_ident(tgname) as remove,
    'alter table ' || tgrelid::regclass || ' enable '
      || case tgenabled when 'R' then 'replica ' when 'A' then 'always ' else '' end || 'trigger ' || quote_ident(tgname) as restore
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where not tgisinternal and tgenabled <> 'D' and ${isOurNamespace('c.relnamespace', names)}`;

const counters = (
  names: ServiceNames,
): string => `select ${foundTableName('c', 'n.nspname', names)} as "table", a.attname::text as "column",
    coalesce(pg_sequence_last_value(s.oid), 0)::text as last
  from pg_depend d
  join pg_class s on s.oid = d.objid and s.relkind = 'S'
  join pg_class c on c.oid = d.refobjid
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid
  where d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i') and ${isOurNamespace('c.relnamespace', names)}`;

const counted = (names: ServiceNames, { table, ...counter }: Omit<IdCounter, 'last'> & { last: string }) => {
  const described = names.described(table);
  return described === undefined ? [] : [{ ...counter, table: described, last: BigInt(counter.last) }];
};

export const movingPostgres = (names: ServiceNames): MoveDialect => {
  const refuse = names.routine(`${fenceName}_refuse`);
  const fence = quoteName(names.object(fenceName));
  return {
    // Transactions that have begun to write end first; no other one begins before this one is over.
    hold: (tables) => [`lock table ${tables.map(names.quoted).join(', ')} in share row exclusive mode`],
    refuseWrites: (tables) => [
      `create function ${refuse}() returns trigger language plpgsql as
      $$ begin raise exception using errcode = '55P03', message = ${quoteText(fenceMessage)}; end $$`,
      ...tables.map(
        (table) =>
          `create trigger ${fence} before insert or update or delete or truncate on ${names.quoted(table)}
        for each statement execute function ${refuse}()`,
      ),
    ],
    takeWrites: (tables) => [
      ...tables.map((table) => `drop trigger if exists ${fence} on ${names.quoted(table)}`),
      `drop function if exists ${refuse}()`,
    ],
    inTheWay: async (ask) => [
      ...(await ask<{ remove: string; restore: string }>(foreignKeys(names))),
      ...(await ask<{ remove: string; restore: string }>(triggers(names))),
    ],
    counters: async (ask) =>
      (await ask<Omit<IdCounter, 'last'> & { last: string }>(counters(names))).flatMap((each) =>
        counted(names, each),
      ),
    setCounter: ({ table, column, last }) => [
      `select setval(pg_get_serial_sequence(${quoteText(names.quoted(table))}, ${quoteText(column)}), greatest(${last}, 1), ${last > 0n})`,
    ],
    portable: (type) => portable.test(type),
    holdsNul: false,
  };
};
