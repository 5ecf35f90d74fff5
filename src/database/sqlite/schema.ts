/**
 * Migrations in the words of SQLite: types of the own tables, indexes, references, triggers and the mark of the
 * database.
 */

import { randomBytes } from 'node:crypto';
import type { ReferenceTriggers, SameKeys, SchemaDialect } from '../dialect.ts';
import { quoteName } from '../quote.ts';
import type { ServiceNames } from '../service-names.ts';
import { sql } from '../statement.ts';
import { alterColumns } from './alter-columns.ts';
import { describeSqlite } from './describe.ts';
import { introspectSqlite } from './introspect.ts';
import { movingSqlite } from './moving.ts';
import { ownTypes } from './own-types.ts';
import { sameClause } from './rebuild.ts';
import { searchSchemaSqlite } from './search.ts';

/** A millisecond after the last change at the least, so that a clock that was set back hides none. */
const changedAt = `max(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), strftime('%Y-%m-%dT%H:%M:%fZ', "updated_at", '+0.001 seconds'))`;

const nulledReferencesSqlite: ReferenceTriggers = {
  create: (table, column, trigger) => {
    const [name, on, reference] = [trigger, table, column].map(quoteName);
    return [
      `create trigger ${name} after update of ${reference} on ${on}
  when old.${reference} is not null and new.${reference} is null and new."version" = old."version"
begin
  update ${on} set "version" = "version" + 1, "updated_at" = ${changedAt} where "id" = new."id";
end`,
    ];
  },
  drop: (_table, trigger) => `drop trigger if exists ${quoteName(trigger)}`,
};

/** SQLite adds and drops a key by a rebuild of the table. */
const sameKeysSqlite: SameKeys = {
  clauses: (reference) => [sameClause(reference)],
  add: () => [],
};

/** The keys of a user go before the user does, whose name is not known any more when the foreign key deletes them. */
const revokedKeysSqlite = ({ object, written }: ServiceNames): readonly string[] => [
  `drop trigger if exists ${object('gatewright_key_revoked')}`,
  `create trigger ${object('gatewright_key_revoked')} before delete on ${written('api_keys')}
begin
  insert into ${written('gatewright_revoked_keys')} (key_id, key_hash, name, user_id, username, revoked_at)
  values (old.id, old.key_hash, old.name, old.user_id,
    coalesce((select username from ${written('users')} where id = old.user_id), ''), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  on conflict (key_id) do nothing;
end`,
  `drop trigger if exists ${object('gatewright_user_keys_revoked')}`,
  `create trigger ${object('gatewright_user_keys_revoked')} before delete on ${written('users')}
begin
  delete from ${written('api_keys')} where user_id = old.id;
end`,
];

export const sqliteSchema = (names: ServiceNames): SchemaDialect => ({
  own: ownTypes,
  introspection: introspectSqlite,
  describe: describeSqlite,
  referenceTriggers: nulledReferencesSqlite,
  sameKeys: sameKeysSqlite,
  revokedKeyTriggers: revokedKeysSqlite(names),
  servicesShare: false,
  lockTables: () => [],
  place: [],
  serviceSets: `select m.name as found,
    exists (select 1 from sqlite_master u where u.type = 'table' and u.name = 'gatewright_users') as prefixed
  from sqlite_master m where m.type = 'table' and m.name like '%database'
    and (select count(*) from pragma_table_info(m.name) c where c.name in ('id', 'major', 'checked_at')) = 3`,
  namesForeignKeys: false,
  boolean: (value) => String(Number(value)),
  mapKeys: (object, key) => sql`(
    select '{' || coalesce(group_concat(json_quote(_m.name) || ':' || _m.value, ',' order by _m.place), '') || '}'
    from (select ${key(sql`_e.key`)} as name, ${object} -> _e.fullkey as value, _e.id as place
      from json_each(${object}) as _e) as _m where _m.name is not null)`,
  mapTexts: (array, text) => sql`(
    select '[' || coalesce(group_concat(json_quote(_m.name), ',' order by _m.place), '') || ']'
    from (select ${text(sql`_e.value`)} as name, _e.id as place
      from json_each(${array}) as _e) as _m where _m.name is not null)`,
  // An index has its name for good, so it is dropped and made.
  renameIndex: (table, { name, columns, unique }, next) => [
    `drop index ${quoteName(name)}`,
    `create ${unique ? 'unique ' : ''}index ${quoteName(next)} on ${quoteName(table)} (${columns.map(quoteName).join(', ')})`,
  ],
  alterColumns,
  moving: movingSqlite(names),
  search: searchSchemaSqlite,
  // A number in the head of the file, so that another file differs in its first 100 bytes.
  mark: () => [`pragma user_version = ${randomBytes(4).readUInt32BE() >>> 1}`],
});
