/** `gatewright move`: copies the database to another one, also of the other kind, and reports the progress. */

import { readConfig } from '../../app/config.ts';
import { assertUpToDate, prepareEmptyDatabase } from '../../app/migrate.ts';
import { serviceNames } from '../../database/service-names.ts';
import { onlyPrefix } from '../../database/service-sets.ts';
import type { DatabaseTarget } from '../../database/target.ts';
import { databaseTarget, databaseUrlForms, isDatabaseUrl } from '../../database/targets.ts';
import { errorMessage } from '../../kernel/error-message.ts';
import { type Moved, type MoveState, moveDatabase, sourceMarkOf, takeWrites } from '../../upkeep/backup.ts';
import { configuredTables, openApplication } from '../application.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { CommandError, type Io, UsageError } from '../io.ts';
import { countText, Progress, rowsText, speedText } from '../transfer/progress.ts';

/** The name of a database in messages, without its password. */
const nameOf = (url: string): string => {
  if (!URL.canParse(url)) return url;
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '…';
  for (const name of shown.searchParams.keys())
    if (/password|key|cert/.test(name)) shown.searchParams.set(name, '…');
  return decodeURIComponent(shown.href);
};

const stateText = ({ doing, table = '', rows = 0 }: MoveState): string => {
  if (doing === 'waiting') return 'waiting for writes to end';
  if (doing === 'restoring') return 'making references and triggers';
  return `${doing} ${table}: ${rowsText(rows)}`;
};

/** The source: with the names that its tables have, which need not be those of the destination. */
const sourceTarget = async (url: string, serviceTables: string | undefined): Promise<DatabaseTarget> => {
  const target = databaseTarget(url, serviceTables);
  if (target.isEmpty()) return target;
  const found = await target.snapshot(({ ask, dialect }) => onlyPrefix(ask, dialect));
  return target.withNames(serviceNames(found));
};

const undo = async (io: Io): Promise<void> => {
  const source = await sourceTarget(readConfig(io.env).databaseUrl, await configuredTables());
  const mark = await takeWrites(source);
  if (mark === undefined)
    throw new CommandError('this database is not being moved: there is nothing to undo');
  io.print(`The database takes writes again. ${mark.destination} no longer matches it: empty that database.`);
};

/** Values from the shell or the command line. */
const destinationOf = (to: string | undefined, { env }: Io): string => {
  const url = to ?? env['TO_DATABASE_URL'] ?? '';
  if (url === '') throw new UsageError('--to URL is missing, and TO_DATABASE_URL is not set');
  if (!isDatabaseUrl(url)) throw new UsageError(`the destination must be ${databaseUrlForms}`);
  return url;
};

const tell = (io: Io, { tables, rows }: Moved, progress: Progress, to: string, given: boolean): void => {
  const counts = `${countText(tables)} tables, ${rowsText(rows)}, ${speedText(rows, progress.seconds)}`;
  io.print(`Moved and compared: ${counts}.`);
  io.print('This database is now read-only, so that it is not used by mistake.');
  io.print(
    given
      ? `Start the service with DATABASE_URL=${nameOf(to)}`
      : 'Start the service with DATABASE_URL as TO_DATABASE_URL is now.',
  );
};

export const command = defineCommand({
  operands: [],
  options: {
    to: { type: 'string', value: 'URL', help: 'the empty destination database' },
    undo: { type: 'boolean', help: 'cancel a move: this database accepts writes again' },
    ...jsonOption,
  },
  description: [
    'Copies everything from DATABASE_URL to an empty database, SQLite or PostgreSQL, including IDs and the next IDs,',
    'and compares both. Pass a URL with a password as TO_DATABASE_URL, so that it is in no list of processes.',
    "There the service's own tables have the names that serviceTables of gatewright.config.ts says, whatever they have",
    'had. Tables of other programs stay where they are.',
    'During the move and afterwards, the source rejects every write (503) from every process; reads go on.',
    'If it is interrupted, run the same command again to continue. --undo cancels the move.',
  ],
  examples: [
    'gatewright move --to postgres://gatewright@db.example.com/gatewright',
    'TO_DATABASE_URL=sqlite:data/new.db gatewright move',
    'gatewright move --undo',
  ],
  async run({ values }, io) {
    if (values.undo === true) {
      if (values.to !== undefined) throw new UsageError('--undo takes no --to');
      return undo(io);
    }
    const url = destinationOf(values.to, io);
    const config = readConfig(io.env);
    const application = await openApplication();
    const { serviceTables } = application.config;
    const source = await sourceTarget(config.databaseUrl, serviceTables);
    const destination = databaseTarget(url, serviceTables);
    await assertUpToDate(application, source);
    const progress = new Progress(io);
    let moved: Moved;
    try {
      moved = await moveDatabase({
        source,
        destination,
        destinationName: nameOf(url),
        now: io.clock(),
        prepare: (after) => prepareEmptyDatabase(config, application, destination, after),
        onProgress: (state) => progress.state(() => stateText(state)),
      });
    } catch (cause) {
      progress.clear();
      const reason = errorMessage(cause);
      const fenced = await sourceMarkOf(source).catch(() => undefined);
      if (fenced === undefined) throw new CommandError(reason, { cause });
      throw new CommandError(
        `${reason}. The source takes no writes: the same command goes on, and --undo gives the move up`,
        { cause },
      );
    }
    progress.clear();
    if (values.json === true) return io.print(JSON.stringify(moved));
    tell(io, moved, progress, url, values.to !== undefined);
  },
});
