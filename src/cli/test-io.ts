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
  /** Lines that are typed where a command asks. */
  readonly typed?: readonly string[];
  /** A terminal shows stderr. */
  readonly terminal?: boolean;
  /** Milliseconds since the epoch. */
  readonly now?: number;
}

/** A process for commands that run in this one, with their output so far. */
export const testIo = (
  options: RunOptions = {},
): { readonly io: Io; readonly written: () => Omit<Run, 'status'> } => {
  const stdout: Buffer[] = [];
  const stderr: string[] = [];
  const typed = [...(options.typed ?? [])];
  const io: Io = {
    env: options.env ?? {},
    clock: () => options.now ?? 1_767_225_600_000,
    stdin: Readable.from([Buffer.from(options.stdin ?? '')]),
    interactive: options.interactive ?? false,
    ask: async (question) => {
      stderr.push(question);
      return typed.shift() ?? '';
    },
    write: (data) => stdout.push(Buffer.from(data)),
    gone: () => false,
    print: (line) => stdout.push(Buffer.from(`${line}\n`)),
    warn: (line) => stderr.push(`${line}\n`),
    show: (text) => stderr.push(text),
    terminal: options.terminal ?? false,
  };
  return { io, written: () => ({ stdout: Buffer.concat(stdout).toString(), stderr: stderr.join('') }) };
};

/** Runs a command line in this process, as the tests of the commands do. */
export const run = async (argv: readonly string[], options: RunOptions = {}): Promise<Run> => {
  const { io, written } = testIo(options);
  const status = await main(argv, io);
  return { status, ...written() };
};
