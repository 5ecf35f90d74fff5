import { randomBytes } from 'node:crypto';
import type { SchemaWords } from '../dialect.ts';
import { quoteName } from '../quote.ts';
import { sql } from '../statement.ts';
import { alterColumns } from './alter-columns.ts';
import { introspectSqlite } from './introspect.ts';
import { movingSqlite } from './moving.ts';
import { nulledReferencesSqlite } from './nulled-references.ts';
import { ownTypes } from './own-types.ts';
import { revokedKeysSqlite } from './revoked-keys.ts';

export const sqliteSchema: SchemaWords = {
  own: ownTypes,
  introspection: introspectSqlite,
  referenceTriggers: nulledReferencesSqlite,
  revokedKeyTriggers: revokedKeysSqlite,
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
  // An index has its name for good, so it is made anew.
  renameIndex: (table, { name, columns, unique }, next) => [
    `drop index ${quoteName(name)}`,
    `create ${unique ? 'unique ' : ''}index ${quoteName(next)} on ${quoteName(table)} (${columns.map(quoteName).join(', ')})`,
  ],
  alterColumns,
  moving: movingSqlite,
  // A number in the head of the file, so that another file is told apart by its first 100 bytes.
  mark: () => [`pragma user_version = ${randomBytes(4).readUInt32BE() >>> 1}`],
};
