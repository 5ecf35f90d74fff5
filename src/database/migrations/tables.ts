import type { DialectName } from '../name.ts';
import { quoteName } from '../quote.ts';
import { dialectOf } from '../registry.ts';
import { askThrough } from './ask-through.ts';
import { createSearch, dropSearch } from './fill-search.ts';
import { followTable } from './follow.ts';
import type { MigrationDatabase } from './migration.ts';
import { followingName } from './names.ts';
import { forgetReference, nulledColumns, watchReference } from './nulled-references.ts';
import { readTables } from './read-tables.ts';
import { record } from './recording.ts';
import { runAll } from './statements.ts';

/**
 * Drops the table of a resource that is gone, with every grant on its model and everything that is kept of its records: a
 * later model of the same name inherits nothing. References to it from other tables go as well; their columns stay.
 */
export const dropTable = async (
  db: MigrationDatabase,
  dialectName: DialectName,
  name: string,
): Promise<void> => {
  if (record(db, { kind: 'drop', table: name })) return;
  const dialect = dialectOf({ dialect: dialectName });
  const tables = await readTables(askThrough(db), dialect);
  const references = [...tables.values()].flatMap((table) =>
    [...table.columns.values()].flatMap(({ references: key }) =>
      key?.table === name && key.name !== undefined && table.name !== name
        ? [`alter table ${quoteName(table.name)} drop constraint ${quoteName(key.name)}`]
        : [],
    ),
  );
  await followTable(db, dialectName, name, undefined);
  if (tables.get(name)?.search !== undefined) await dropSearch(db, dialect, name);
  await runAll(db, [...references, `drop table ${quoteName(name)}`]);
};

/**
 * Renames the table of a resource. Its records stay, what refers to it follows, and so do the grants on its
 * model and everything that is kept of its records.
 */
export const renameTable = async (
  db: MigrationDatabase,
  name: DialectName,
  from: string,
  to: string,
  { model }: { readonly model: string },
): Promise<void> => {
  if (record(db, { kind: 'rename', table: from, to, model })) return;
  const dialect = dialectOf({ dialect: name });
  const tables = await readTables(askThrough(db), dialect);
  await followTable(db, name, from, { table: to, model });
  const table = tables.get(from);
  const watched = table === undefined ? [] : nulledColumns(table);
  const search = table?.search;
  if (search !== undefined) await dropSearch(db, dialect, from);
  await runAll(db, [
    ...watched.map((column) => forgetReference(dialect, from, column)),
    `alter table ${quoteName(from)} rename to ${quoteName(to)}`,
    ...watched.flatMap((column) => watchReference(dialect, to, column)),
  ]);
  if (search !== undefined) await createSearch(db, dialect, { of: to, columns: search });
  for (const index of table?.indexes ?? []) {
    const next = followingName(index, from, to);
    if (next !== index.name) await runAll(db, dialect.schema.renameIndex(to, index, next));
  }
};
