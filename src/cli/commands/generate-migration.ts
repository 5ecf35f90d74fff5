/** `gatewright generate migration`: writes the migration from the current database to the models. */

import { loadApplication } from '../../app/application.ts';
import { readConfig } from '../../app/config.ts';
import { pendingMigrations } from '../../app/migrate.ts';
import { readStored } from '../../database/migrations.ts';
import { openDatabase } from '../../database/open.ts';
import { databaseTarget } from '../../database/targets.ts';
import { applicationFolder } from '../application.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { CommandError, type Io, UsageError } from '../io.ts';
import { assertFilled, assertFills } from '../scaffold/assert-fills.ts';
import { type Declarations, readDeclarations } from '../scaffold/declarations.ts';
import { shownPath, writeNewFiles } from '../scaffold/files.ts';
import { migrationFile, migrationName, type Operation } from '../scaffold/migration-file.ts';
import { planMigration } from '../scaffold/plan-migration.ts';

/** The operations that bring the current database to the models. */
const compare = async (
  io: Io,
  { models, migrations, config: { serviceTables } }: Awaited<ReturnType<typeof loadApplication>>,
  declarations: Declarations,
): Promise<readonly Operation[]> => {
  const config = readConfig(io.env);
  const target = databaseTarget(config.databaseUrl, serviceTables);
  const waiting = await pendingMigrations(target, { migrations }, config);
  if (waiting.length > 0)
    throw new CommandError(`migrations are pending (${waiting.join(', ')}): gatewright migrate comes first`);
  const database = await openDatabase(target, { poolSize: 1 });
  try {
    const stored = await readStored((sql) => database.all({ sql, parameters: [] }), database.dialect);
    const { operations, gaps, fills } = planMigration(models, stored, declarations);
    await assertFilled(database, gaps);
    await assertFills(database, models, fills);
    return operations;
  } finally {
    await database.close();
  }
};

export const command = defineCommand({
  operands: ['NAME'],
  options: {
    rename: {
      type: 'string',
      multiple: true,
      value: 'OLD=NEW',
      help: 'books.pages=page_count for a column, books=volumes for a table; the records stay',
    },
    fill: {
      type: 'string',
      multiple: true,
      value: 'COLUMN=VALUE',
      help: 'books.isbn=unknown: value of existing records in a column that becomes required',
    },
    'allow-drop': { type: 'boolean', help: 'drop tables and columns that no model has' },
    ...jsonOption,
  },
  description: [
    'Compares the models with the database and writes the missing migration, one file for both databases.',
    'A removed plus an added column or table is not treated as a rename: use --rename or --allow-drop, else nothing is',
    'written.',
  ],
  examples: [
    'gatewright generate migration add_isbn',
    'gatewright generate migration page_count --rename books.pages=page_count',
  ],
  async run({ values, operands: [name = ''] }, io) {
    if (!/^[a-z][a-z0-9_]{0,62}$/.test(name))
      throw new UsageError(`'${name}': a name is lower case letters, digits and underscores`);
    const declarations = readDeclarations(
      values.rename ?? [],
      values.fill ?? [],
      values['allow-drop'] === true,
    );
    const folder = await applicationFolder();
    const application = await loadApplication(folder);
    const { models, migrations } = application;
    const operations = await compare(io, application, declarations);
    if (operations.length === 0) {
      if (values.json === true) return io.print(JSON.stringify({ written: [] }));
      return io.print('Models and database agree: there is nothing to write.');
    }
    const path = `migrations/${migrationName(Object.keys(migrations), name)}.ts`;
    await writeNewFiles(folder, [{ path, text: migrationFile(operations, models) }]);
    if (values.json === true) return io.print(JSON.stringify({ written: [shownPath(folder, path)] }));
    io.print(`wrote ${shownPath(folder, path)}`);
    io.print('Next: read it, then gatewright migrate (--plan shows its SQL first)');
  },
});
