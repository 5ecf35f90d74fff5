/** One run of the application under `gatewright dev`: it serves until a file changes, or prints why it cannot. */

import { type Application, ApplicationError, loadApplication } from '../../app/application.ts';
import { type Config, ConfigError, readConfig } from '../../app/config.ts';
import { awaitDatabase } from '../../app/database-wait.ts';
import { locate } from '../../app/locate.ts';
import { guardStandardStreams, readableLog } from '../../app/log.ts';
import { SchemaError, schemaDifferences } from '../../app/schema-check.ts';
import { createServer, type Server } from '../../app/server.ts';
import { type Difference, describeDifference } from '../../database/schema-differences.ts';
import { databaseTarget } from '../../database/targets.ts';
import { greet } from '../greeting.ts';
import { logUncaught } from '../uncaught.ts';
import type { MigratedElsewhere, Outcome, Shown, Start } from './child-messages.ts';
import { holdMigrations, untilMigrated } from './hold.ts';
import { routeLines } from './routes.ts';

const tableOf = (difference: Difference): string =>
  'table' in difference ? difference.table : difference.model.table;

/** The `--rename` option for a removed and an added name that may be the same thing. */
const renames = (found: readonly Difference[]): readonly string[] => {
  const tables = new Set(found.map(tableOf));
  const gone = found.flatMap((each) => (each.kind === 'surplus_table' ? each.table : []));
  const made = found.flatMap((each) => (each.kind === 'missing_table' ? each.model.table : []));
  const ofTables = gone.length === 1 && made.length === 1 ? [`${gone[0]}=${made[0]}`] : [];
  const ofColumns = [...tables].flatMap((table) => {
    const here = found.filter((each) => tableOf(each) === table);
    const old = here.flatMap((each) => (each.kind === 'surplus_column' ? each.column : []));
    const added = here.flatMap((each) => (each.kind === 'missing_column' ? each.field.column : []));
    return old.length === 1 && added.length === 1 ? [`${table}.${old[0]}=${added[0]}`] : [];
  });
  return [...ofTables, ...ofColumns];
};

/** The commands that bring the database to the models, with the possible meanings of removed names. */
export const suggestedCommands = (found: readonly Difference[]): readonly string[] => {
  const tables = [...new Set(found.map(tableOf))];
  const verb = found.every(({ kind }) => kind === 'missing_table') ? 'create' : 'change';
  const command = `npx gatewright generate migration ${verb}_${tables.length === 1 ? tables[0] : 'tables'}`;
  const gone = found.some(({ kind }) => kind === 'surplus_table' || kind === 'surplus_column');
  if (!gone) return [command];
  const dropping = `${command} --allow-drop    (gone, with the values)`;
  const options = renames(found).map((rename) => ` --rename ${rename}`);
  if (options.length === 0) return [dropping];
  return [`${command}${options.join('')}    (renamed: the values stay)`, dropping];
};

/**
 * One run of the application under development. Everything except the application is loaded beforehand, and the
 * process waits for its turn, so that a change is served as soon as the previous run has ended.
 */

guardStandardStreams();

/** Milliseconds after which running jobs are released to the next run, because a change is waiting. */
const jobTimes = { grace: 500 } as const;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const printDifferences = (found: readonly Difference[]): void => {
  print('Models and database differ:');
  for (const difference of found) print(`  ${describeDifference(difference)}`);
  for (const command of suggestedCommands(found)) print(`  → ${command}`);
};

const printError = async (error: unknown, folder: string): Promise<void> => {
  if (error instanceof SchemaError) {
    print('Not started, for some request would fail.');
    return printDifferences(error.differences);
  }
  if (error instanceof ConfigError) return error.mistakes.forEach(print);
  const place = await locate(error, folder);
  const cause = error instanceof ApplicationError && error.cause instanceof Error ? error.cause : error;
  const { message } = cause instanceof Error ? cause : { message: String(cause) };
  const inner = cause instanceof Error && cause.cause instanceof Error ? `: ${cause.cause.message}` : '';
  print(
    place === undefined
      ? `${message}${inner}`
      : `${place.file}:${place.line}:${place.column}\n  ${message}${inner}`,
  );
};

/** A request that works, to be pasted by newcomers. */
const printFirstRequest = async ({ services, config }: Server, path: string): Promise<void> => {
  const id = await services.users.idByAccount(config.admin.username.toLowerCase());
  if (id === undefined) return;
  print(`Try  curl ${config.baseUrl}${path} -H "Authorization: Bearer ${services.tokens.issue(id)}"`);
};

interface Started {
  readonly server: Server;
  readonly routes: readonly string[];
  readonly ends: boolean;
}

interface Loaded {
  readonly config: Config;
  readonly application: Application;
}

const load = async (folder: string): Promise<Loaded> => {
  // A single process: `gatewright dev` restarts it.
  const config = { ...readConfig(process.env), workers: 1 };
  return { config, application: await loadApplication(folder) };
};

const start = async (
  { config, application }: Loaded,
  message: Start,
): Promise<Started | { readonly shown: Shown }> => {
  const { first, routes: before } = message;
  const logger = readableLog(config.logLevel, print);
  await awaitDatabase(
    databaseTarget(config.databaseUrl, application.config.serviceTables),
    config,
    (fields, message) => logger.warn(fields, message),
  );
  const shown = await holdMigrations(config, application, message, print);
  if (shown !== undefined) return { shown };
  logUncaught(logger, () => process.exit(1));
  const server = await createServer({
    config,
    application,
    logger,
    lifecycle: true,
    development: true,
    jobTimes,
  });
  const routes = routeLines(server.endpoints, config.basePath);
  print(first ? '' : `Restarted on ${server.config.baseUrl}`);
  if (first) greet(server, { print });
  if (routes.join() !== before.join()) routes.forEach(print);
  if (first) {
    const [model] = application.models.values();
    await printFirstRequest(server, model === undefined ? '/api/v1/auth/me' : `/api/v1/${model.path}`);
  }
  const { database } = server.services;
  const ask = <Row>(sql: string): Promise<readonly Row[]> => database.all<Row>({ sql, parameters: [] });
  const found = await schemaDifferences(ask, database.dialect, application.models);
  if (found.length > 0) printDifferences(found);
  const { config: hooks, jobs } = application;
  return { server, routes, ends: hooks.onStop !== undefined || jobs.size > 0 };
};

/** Ends this process when its parent process ends in any way. */
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

const send = (message: Outcome | MigratedElsewhere): void => void process.send?.(message);

/** Sends a message when this run, which does not serve, may be tried again. */
const watchDatabase = async ({ config, application }: Loaded, shown?: Shown): Promise<void> => {
  await untilMigrated(config, application, shown);
  send({ kind: 'migrated' });
};

process.once('message', async (message: Start) => {
  let loaded: Loaded | undefined;
  try {
    loaded = await load(message.folder);
    const started = await start(loaded, message);
    if ('shown' in started) {
      send({ kind: 'held', shown: started.shown });
      return await watchDatabase(loaded, started.shown);
    }
    const { server, routes, ends } = started;
    const stop = (): void => void server.close().then(() => process.exit(0));
    process.once('SIGTERM', stop);
    send({ kind: 'started', routes, ends });
  } catch (error) {
    await printError(error, message.folder);
    send({ kind: 'failed' });
    if (loaded !== undefined) await watchDatabase(loaded);
  }
});

// A terminal sends this signal to the whole process group; the supervisor decides about the order of the ends.
process.on('SIGINT', () => {});
