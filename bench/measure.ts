import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Job, Result } from './load.ts';
import { onCore, type Running } from './processes.ts';

const run = promisify(execFile);

export interface Measured extends Result {
  readonly perSecond: number;
  /** Microseconds of the server's CPU per request. */
  readonly cpu: number;
}

/** Puts one load on a server for a while. Throws where an answer is not the expected one. */
export const measure = async (server: Running, job: Omit<Job, 'port'>): Promise<Measured> => {
  const file = join(tmpdir(), `gatewright-load-${process.pid}.json`);
  writeFileSync(file, JSON.stringify({ ...job, port: server.port }));
  const [command, args] = onCore(1, process.execPath, ['bench/load.ts', file]);
  const before = server.cpu();
  const { stdout } = await run(command, args);
  const result = JSON.parse(stdout) as Result;
  if (result.failures > 0)
    throw new Error(`${server.name}: ${result.failures} answers were not ${job.expect}`);
  const cpu = ((server.cpu() - before) / result.requests) * 1e6;
  return { ...result, perSecond: result.requests / result.seconds, cpu };
};

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

export interface Figures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu: number;
}

/** The median of each figure over the rounds. */
export const middle = (results: readonly Measured[]): Figures => ({
  perSecond: median(results.map((result) => result.perSecond)),
  p50: median(results.map((result) => result.p50)),
  p99: median(results.map((result) => result.p99)),
  cpu: median(results.map((result) => result.cpu)),
});
