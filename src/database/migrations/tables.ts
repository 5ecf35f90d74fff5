import type { Dialect } from '../dialect.ts';
import { quoteName } from '../quote.ts';
import { askThrough } from './ask-through.ts';
import { dropConstraint } from './columns.ts';
import { createSearch, dropSearch } from './fill-search.ts';
import { followTableIn } from './follow.ts';
import type { MigrationDatabase } from './migration.ts';
import { followingName } from './names.ts';
import { forgetReference, nulledColumns, watchReference } from './nulled-references.ts';
import { readTables } from './read-tables.ts';
import { record } from './recording.ts';
import { dropUnusedSameIndexes, hasSame } from './same-keys.ts';
import { runAll } from './statements.ts';

/** Drops the table of a resource: `dropTable` in a dialect. */
export const dropTableIn = async (db: MigrationDatabase, dialect: Dialect, name: string): Promise<void> => {
  if (record(db, { kind: 'drop', table: name })) return;
  const tables = await readTables(askThrough(db), dialect);
  const references = [...tables.values()].flatMap((table) =>
    [...table.columns.values()].flatMap(({ references: key }) =>
      key?.table === name && table.name !== name
        ? [key.name, key.same?.name].flatMap((each) =>
            each === undefined ? [] : dropConstraint(table.name, each),
          )
        : [],
    ),
  );
  const dropped = tables.get(name);
  await followTableIn(db, dialect, name, undefined);
  if (dropped?.search !== undefined) await dropSearch(db, dialect, name);
  await runAll(db, [...references, `drop table ${quoteName(name)}`]);
  if (dropped !== undefined && hasSame(dropped)) await dropUnusedSameIndexes(db, dialect);
};

/** Renames the table of a resource: `renameTable` in a dialect. */
export const renameTableIn = async (
  db: MigrationDatabase,
  dialect: Dialect,
  from: string,
  to: string,
  { model }: { readonly model: string },
): Promise<void> => {
  if (record(db, { kind: 'rename', table: from, to, model })) return;
  const tables = await readTables(askThrough(db), dialect);
  await followTableIn(db, dialect, from, { table: to, model });
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
