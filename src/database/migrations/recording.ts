import { type DatabaseConnection, DummyDriver, Kysely, type Dialect as KyselyDialect } from 'kysely';
import type { DialectName } from '../name.ts';
import type { TableAlteration } from './columns.ts';
import type { Migration, MigrationDatabase, MigrationTables } from './migration.ts';

/** A call by which a migration changes tables. */
export type TableChange =
  | { readonly kind: 'create'; readonly table: string }
  | { readonly kind: 'alter'; readonly table: string; readonly alteration: TableAlteration }
  | { readonly kind: 'rename'; readonly table: string; readonly to: string; readonly model: string }
  | { readonly kind: 'drop'; readonly table: string };

const recordings = new WeakMap<MigrationDatabase, TableChange[]>();

/** Records a change where the database only records. Otherwise returns false, and the change is to be made. */
export const record = (db: MigrationDatabase, change: TableChange): boolean => {
  const changes = recordings.get(db);
  changes?.push(change);
  return changes !== undefined;
};

/** Thrown at a statement of a migration beside its calls. */
export class OwnStatementError extends Error {}

class RefusingDriver extends DummyDriver {
  override acquireConnection(): Promise<DatabaseConnection> {
    return Promise.reject(new OwnStatementError('a recording runs no statement'));
  }
}

/** The changes that a migration makes, without making them. @throws OwnStatementError; errors of the migration */
export const recordChanges = async (
  { up }: Migration,
  driver: KyselyDialect,
  dialect: DialectName,
): Promise<readonly TableChange[]> => {
  const db: MigrationDatabase = new Kysely<MigrationTables>({
    dialect: {
      createAdapter: () => driver.createAdapter(),
      createIntrospector: (of) => driver.createIntrospector(of),
      createQueryCompiler: () => driver.createQueryCompiler(),
      createDriver: () => new RefusingDriver(),
    },
  });
  const changes: TableChange[] = [];
  recordings.set(db, changes);
  await up(db, dialect);
  return changes;
};
