/** The course of `backup` and `restore`: progress, stop by a signal, comparison, and the printed result. */

import type { DatabaseTarget } from '../../database/target.ts';
import { databaseTarget, databaseUrlForms, isDatabaseUrl } from '../../database/targets.ts';
import type { CopyState, CopyStep, Manifest, WorkOptions } from '../../upkeep/backup.ts';
import { CommandError, type Io, UsageError } from '../io.ts';
import { onStopSignal } from '../stop-signal.ts';
import { bytesText, Progress, rowsText } from '../transfer/progress.ts';

const steps: Readonly<Record<CopyStep, string>> = {
  copy: 'copying',
  count: 'checksum of',
  digest: 'reading',
  restore: 'restoring',
  compare: 'comparing',
};

const stateText = (step: CopyStep, state: CopyState): string => {
  if ('table' in state) return `${steps[step]} ${state.table}, ${rowsText(state.rows)}`;
  const all = state.all === undefined ? '' : ` of ${bytesText(state.all)}`;
  return `${steps[step]}, ${bytesText(state.bytes)}${all}`;
};

/** The result of a command. */
export interface CopyOutcome {
  readonly manifest: Manifest;
  readonly verified: boolean;
}

/** The temporary database of a comparison. @throws UsageError */
export const verifyTarget = (
  url: string | undefined,
  verify: boolean,
  target: DatabaseTarget,
): DatabaseTarget | undefined => {
  if (url === undefined) return verify ? target : undefined;
  if (!verify) throw new UsageError('--verify-url goes with --verify');
  if (!isDatabaseUrl(url)) throw new UsageError(`--verify-url must be ${databaseUrlForms}`);
  return databaseTarget(url);
};

/** The last line of a command, for people or for a script. */
const summary = (
  file: string,
  done: string,
  { manifest, verified }: CopyOutcome,
  seconds: number,
): string => {
  const tables = Object.values(manifest.tables);
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const text = `${file}: ${bytesText(manifest.bytes)}, ${tables.length} tables, ${rowsText(rows)}`;
  return `${text}, ${done}${verified ? ' and verified' : ''} in ${seconds.toFixed(1)} s`;
};

const summaryObject = (file: string, { manifest, verified }: CopyOutcome, seconds: number): object => ({
  file,
  bytes: manifest.bytes,
  sha256: manifest.sha256,
  begun: manifest.begun,
  tables: Object.fromEntries(Object.entries(manifest.tables).map(([table, { rows }]) => [table, rows])),
  verified,
  seconds: Number(seconds.toFixed(3)),
});

export interface AskedCopy {
  readonly file: string;
  /** The report of the completed work. */
  readonly done: string;
  readonly programs: string | undefined;
  readonly json: boolean;
}

/** Runs the work on one file: shows its progress, stops it at a signal, and prints the result. */
export const runOnFile = async (
  io: Io,
  { file, done, programs, json }: AskedCopy,
  work: (options: WorkOptions) => Promise<CopyOutcome>,
): Promise<void> => {
  const progress = new Progress(io);
  const stop = new AbortController();
  const listen = onStopSignal((signal) =>
    stop.abort(new CommandError(`${file}: stopped by ${signal}; nothing is left behind`)),
  );
  const onProgress = (step: CopyStep, state: CopyState): void =>
    progress.state(() => `${file}: ${stateText(step, state)}, ${progress.seconds.toFixed(1)} s`);
  try {
    const outcome = await work({ programs, signal: stop.signal, onProgress });
    progress.clear();
    const { seconds } = progress;
    io.print(
      json ? JSON.stringify(summaryObject(file, outcome, seconds)) : summary(file, done, outcome, seconds),
    );
  } catch (error) {
    progress.clear();
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    listen();
  }
};
