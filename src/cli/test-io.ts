import { Readable } from 'node:stream';
import type { Io } from './io.ts';
import { main } from './main.ts';

export interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** A person sits at stdin. */
  readonly interactive?: boolean;
  /** Milliseconds since the epoch. */
  readonly now?: number;
}

/** Runs a command line in this process, as the tests of the commands do. */
export const run = async (argv: readonly string[], options: RunOptions = {}): Promise<Run> => {
  const stdout: Buffer[] = [];
  const stderr: string[] = [];
  const io: Io = {
    env: options.env ?? {},
    clock: () => options.now ?? 1_767_225_600_000,
    stdin: Readable.from([Buffer.from(options.stdin ?? '')]),
    interactive: options.interactive ?? false,
    write: (data) => stdout.push(Buffer.from(data)),
    print: (line) => stdout.push(Buffer.from(`${line}\n`)),
    warn: (line) => stderr.push(`${line}\n`),
  };
  const status = await main(argv, io);
  return { status, stdout: Buffer.concat(stdout).toString(), stderr: stderr.join('') };
};
