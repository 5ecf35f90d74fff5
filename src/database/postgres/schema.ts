import type { SchemaWords } from '../dialect.ts';
import { quoteName } from '../quote.ts';
import { sql } from '../statement.ts';
import { alterColumns } from './alter-columns.ts';
import { introspectPostgres } from './introspect.ts';
import { movingPostgres } from './moving.ts';
import { nulledReferencesPostgres } from './nulled-references.ts';
import { revokedKeysPostgres } from './revoked-keys.ts';

export const postgresSchema: SchemaWords = {
  own: {
    text: 'text collate "C"',
    timestamp: 'timestamptz(3)',
    boolean: 'boolean',
    integer: 'bigint',
    json: 'json',
    id: 'bigint generated always as identity primary key',
  },
  introspection: introspectPostgres,
  referenceTriggers: nulledReferencesPostgres,
  revokedKeyTriggers: revokedKeysPostgres,
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
  moving: movingPostgres,
  // A service has a connection to the server, which never becomes one to another database.
  mark: () => [],
};
