import { quoteName } from '../../quote.ts';
import type { SchemaWords } from '../dialect.ts';
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
  renameIndex: (_table, { name }, next) => [`alter index ${quoteName(name)} rename to ${quoteName(next)}`],
  alterColumns,
  moving: movingPostgres,
  // A service has a connection to the server, which never becomes one to another database.
  mark: () => [],
};
