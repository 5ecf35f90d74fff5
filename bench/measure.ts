import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Job, Result } from './load.ts';
import { type Place, placed, type Running } from './processes.ts';

const run = promisify(execFile);

export interface Measured extends Result {
  /** Microseconds of the server's CPU per request. */
  readonly cpu: number;
  /** The same for the database's server; 0 where it has none. */
  readonly databaseCpu: number;
}

/** A large young generation for the load generator, so that its garbage collection does not disturb the latencies. */
const quiet = ['--min-semi-space-size=128', '--max-semi-space-size=128'];

/** Milliseconds of load before a latency counts: while V8 compiles the load generator, it is late itself. */
const warmup = 300;

/** The load on a server, without its port. */
export type Load = Omit<Job, 'port'>;

let files = 0;

/** Puts a load on a server for some time. Throws for an unexpected response. */
export const putLoad = async (
  { name, port }: Pick<Running, 'name' | 'port'>,
  load: Load,
  place: Place = 'second core',
): Promise<Result> => {
  files += 1;
  const file = join(tmpdir(), `gatewright-load-${process.pid}-${files}.json`);
  const job: Job = { warmup, ...load, port };
  writeFileSync(file, JSON.stringify(job));
  const [command, args] = placed(place, process.execPath, [...quiet, 'bench/load.ts', file]);
  const { stdout } = await run(command, args).finally(() => rmSync(file, { force: true }));
  const result = JSON.parse(stdout) as Result;
  if (result.failures > 0) throw new Error(`${name}: ${result.failures} responses were not ${load.expect}`);
  return result;
};

/**
 * Measures a server under a load.
 * @param databaseCpu CPU time of the database's server so far, in seconds
 */
export const measure = async (
  server: Running,
  load: Load,
  databaseCpu: () => number = () => 0,
  place?: Place,
): Promise<Measured> => {
  const before = server.cpu();
  const databaseBefore = databaseCpu();
  const result = await putLoad(server, load, place);
  const each = (seconds: number): number => (seconds / result.requests) * 1e6;
  return {
    ...result,
    cpu: each(server.cpu() - before),
    databaseCpu: each(databaseCpu() - databaseBefore),
  };
};

/** The quantile of some values: 0.5 for the median. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export type Figures = Pick<Measured, 'perSecond' | 'p50' | 'p99' | 'p999' | 'cpu' | 'databaseCpu'>;

/** Each figure's quantile over the rounds, by default the median. */
export const middle = (results: readonly Measured[], share = 0.5): Figures => {
  const of = (figure: keyof Figures): number =>
    quantile(
      results.map((result) => result[figure]),
      share,
    );
  return {
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    p999: of('p999'),
    cpu: of('cpu'),
    databaseCpu: of('databaseCpu'),
  };
};
