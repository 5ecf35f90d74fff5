/**
 * Migrations in the words of PostgreSQL: types of the own tables, indexes, references, triggers and the mark of the
 * database.
 */

import type { ReferenceTriggers, SameKeys, SchemaDialect } from '../dialect.ts';
import { sameKeyName } from '../migrations/names.ts';
import { sameKeySql } from '../migrations/same-keys.ts';
import { quoteName, quoteText } from '../quote.ts';
import type { ServiceNames } from '../service-names.ts';
import { sql } from '../statement.ts';
import { alterColumns } from './alter-columns.ts';
import { describePostgres } from './describe.ts';
import { introspectPostgres } from './introspect.ts';
import { movingPostgres } from './moving.ts';
import { searchSchemaPostgres } from './search.ts';

/**
 * The function that the triggers of all tables run. A millisecond after the last change at the least, so that a clock
 * that was set back hides none.
 */
const raise = ({
  routine,
}: ServiceNames): string => `create or replace function ${routine('gatewright_reference_nulled')}() returns trigger language plpgsql as $$
begin
  new."version" := old."version" + 1;
  new."updated_at" := greatest(clock_timestamp(), old."updated_at" + interval '1 millisecond');
  return new;
end
$$`;

const nulledReferencesPostgres = (names: ServiceNames): ReferenceTriggers => ({
  create: (table, column, trigger) => {
    const [name, on, reference] = [trigger, table, column].map(quoteName);
    return [
      raise(names),
      `create trigger ${name} before update of ${reference} on ${on} for each row
  when (old.${reference} is not null and new.${reference} is null and new."version" = old."version")
  execute function ${names.routine('gatewright_reference_nulled')}()`,
    ];
  },
  drop: (table, trigger) => `drop trigger if exists ${quoteName(trigger)} on ${quoteName(table)}`,
});

/** The key has the effect of the reference's own one, so that it does not matter which of both comes first. */
const sameKeysPostgres: SameKeys = {
  clauses: () => [],
  add: (reference) => {
    const { table, column, onDelete } = reference;
    const effect = onDelete === 'set null' ? `set null (${quoteName(column)})` : onDelete;
    const add = `alter table ${quoteName(table)} add constraint ${quoteName(sameKeyName(table, column))}`;
    return [`${add} ${sameKeySql(reference)} on delete ${effect}`];
  },
};

/**
 * An attempt ends before PostgreSQL looks for a deadlock, and gives back what it locked: the writers that waited for it
 * end then.
 */
const lockTables = (tables: readonly string[]): string => `do $gatewright$
declare
  usual text := current_setting('lock_timeout');
begin
  loop
    begin
      perform set_config('lock_timeout', '300ms', true);
      lock table ${tables.join(', ')} in access exclusive mode;
      perform set_config('lock_timeout', usual, true);
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_sleep(0.05 + random() * 0.2);
    end;
  end loop;
end
$gatewright$`;

/**
 * The keys of a user go before the user does, whose name is not known any more when the foreign key deletes them. Both
 * run as the role that deletes.
 */
const revokedKeysPostgres = ({ object, routine, written }: ServiceNames): readonly string[] => [
  `create or replace function ${routine('gatewright_key_revoked')}() returns trigger language plpgsql as $$
begin
  insert into ${written('gatewright_revoked_keys')} (key_id, key_hash, name, user_id, username, revoked_at)
  values (old.id, old.key_hash, old.name, old.user_id,
    coalesce((select username from ${written('users')} where id = old.user_id), ''), clock_timestamp())
  on conflict (key_id) do nothing;
  return old;
end
$$`,
  `drop trigger if exists ${object('gatewright_key_revoked')} on ${written('api_keys')}`,
  `create trigger ${object('gatewright_key_revoked')} before delete on ${written('api_keys')} for each row
  execute function ${routine('gatewright_key_revoked')}()`,
  `create or replace function ${routine('gatewright_user_keys_revoked')}() returns trigger language plpgsql as $$
begin
  delete from ${written('api_keys')} where user_id = old.id;
  return old;
end
$$`,
  `drop trigger if exists ${object('gatewright_user_keys_revoked')} on ${written('users')}`,
  `create trigger ${object('gatewright_user_keys_revoked')} before delete on ${written('users')} for each row
  execute function ${routine('gatewright_user_keys_revoked')}()`,
];

/** `if not exists` would ask for the right to create schemas even where an administrator has made this one. */
const placeOf = ({ schema }: ServiceNames): readonly string[] =>
  schema === undefined
    ? []
    : [
        `do $$ begin
  if to_regnamespace(${quoteText(quoteName(schema))}) is null then create schema ${quoteName(schema)}; end if;
end $$`,
      ];

export const postgresSchema = (names: ServiceNames): SchemaDialect => ({
  own: {
    text: 'text collate "C"',
    timestamp: 'timestamptz(3)',
    boolean: 'boolean',
    integer: 'bigint',
    json: 'json',
    id: 'bigint generated always as identity primary key',
  },
  introspection: introspectPostgres(names),
  describe: describePostgres,
  referenceTriggers: nulledReferencesPostgres(names),
  sameKeys: sameKeysPostgres,
  revokedKeyTriggers: revokedKeysPostgres(names),
  servicesShare: true,
  lockTables: (tables) => (tables.length === 0 ? [] : [lockTables(tables)]),
  serviceSets: `select case c.relname when 'database' then n.nspname || '.' else '' end || c.relname as found,
    to_regclass(quote_ident(current_schema()) || '.gatewright_users') is not null as prefixed
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and c.relname like '%database' and (n.nspname = current_schema() or c.relname = 'database')
    and 3 = (select count(*) from pg_attribute a
      where a.attrelid = c.oid and a.attname in ('id', 'major', 'checked_at') and not a.attisdropped)`,
  place: placeOf(names),
  namesForeignKeys: true,
  boolean: String,
  mapKeys: (object, key) => sql`(
    select cast('{' || coalesce(string_agg(to_json(_m.name)::text || ':' || _m.value::text, ',' order by _m.place), '') || '}' as json)
    from (select ${key(sql`_e.name`)} as name, _e.value, _e.place
      from json_each(${object}) with ordinality as _e (name, value, place)) as _m where _m.name is not null)`,
  mapTexts: (array, text) => sql`(
    select cast('[' || coalesce(string_agg(to_json(_m.name)::text, ',' order by _m.place), '') || ']' as json)
    from (select ${text(sql`_e.name`)} as name, _e.place
      from json_array_elements_text(${array}) with ordinality as _e (name, place)) as _m where _m.name is not null)`,
  renameIndex: (_table, { name }, next) => [`alter index ${quoteName(name)} rename to ${quoteName(next)}`],
  alterColumns,
  moving: movingPostgres(names),
  search: searchSchemaPostgres(names),
  // A service has a connection to the server, which never becomes one to another database.
  mark: () => [],
});
