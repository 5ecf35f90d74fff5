import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { createApplication } from '../../../src/app/application.ts';
import { readConfig } from '../../../src/app/config.ts';
import { createServer, type Server } from '../../../src/app/server.ts';
import { note, noteMigration, seedNotes } from '../notes.ts';
import { LoopWatch } from './loop-watch.ts';

/**
 * The service in a process of its own, with many notes. Argument: JSON of `ServeOptions`. For each line of its
 * standard input it writes one line of JSON: `seed N` (rows from then on), `reset` and `report` (what the main thread was
 * held up by in between, and memory).
 */
export interface ServeOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds after which a caller that reads nothing is cut. */
  readonly stallTimeoutMs: number;
}

const { env, stallTimeoutMs } = JSON.parse(process.argv[2] ?? '{}') as ServeOptions;

const start = (): Promise<Server> =>
  createServer({
    config: readConfig(env),
    application: createApplication({ resources: [note], migrations: { notes: noteMigration } }),
    logger: pino({ level: 'silent' }),
    stallTimeoutMs,
  });

const say = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

const server = await start();
const { services } = server;
const watch = new LoopWatch();
const administrator = await services.users.idByAccount('root');
say({ port: server.config.port, token: services.tokens.issue(administrator ?? 0) });

const perform = async (line: string): Promise<unknown> => {
  const [verb, argument] = line.split(' ');
  if (verb === 'seed') return seedNotes(services.database, Number(argument));
  if (verb === 'reset') {
    globalThis.gc?.();
    await delay(50);
    return watch.reset();
  }
  return watch.report();
};

for await (const line of createInterface({ input: process.stdin })) say((await perform(line)) ?? {});
watch.end();
await server.close();
