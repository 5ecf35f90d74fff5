/** The terminal as commands see it: streams, environment, questions, and the errors that set the exit status. */

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { type Clock, systemClock } from '../kernel/clock.ts';

/** The parts of the process that a command uses; tests replace them. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Not read unless a command needs it. */
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** True if stdin is a terminal. */
  readonly interactive: boolean;
  /**
   * Reads a line from the terminal at stdin, without showing it. Throws `CommandError` at Ctrl-C, Ctrl-D and the end.
   */
  ask(question: string): Promise<string>;
  /** Writes to stdout, unchanged. */
  write(data: string | Uint8Array): void;
  /** True if the reader of stdout has closed it. */
  gone(): boolean;
  /** Writes a line to stdout. */
  print(line: string): void;
  /** Writes a line to stderr. */
  warn(line: string): void;
  /** Writes to stderr, unchanged: for progress. */
  show(text: string): void;
  /** True if stderr is a terminal. */
  readonly terminal: boolean;
}

/** Wrong usage of a command: exit status 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** A command that failed, with a complete message: exit status 1 unless the command documents another one. */
export class CommandError extends Error {
  readonly status: number;

  constructor(message: string, { status = 1, ...options }: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.name = 'CommandError';
    this.status = status;
  }
}

/** Reads all of stdin. */
export const readAll = async (io: Io): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
};

/**
 * Reads a secret from stdin, without the line end that `echo` adds. Throws `CommandError` unless it is non-empty
 * UTF-8.
 */
export const readSecret = async (io: Io, name: string): Promise<string> => {
  if (io.interactive) io.warn(`${name}: type it, then Enter and Ctrl-D`);
  const bytes = await readAll(io);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandError(`the ${name} on stdin is not UTF-8`);
  }
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '') throw new CommandError(`no ${name} on stdin`);
  return secret;
};

/** Reads a line from a terminal in raw mode, so that neither the terminal nor the reader of lines shows it. */
const askHidden = async (question: string): Promise<string> => {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: hidden, terminal: true, historySize: 0 });
  process.stderr.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      const cancel = () => reject(new CommandError('cancelled: nothing was changed'));
      lines.once('line', resolve).once('SIGINT', cancel).once('close', cancel);
    });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
};

/** The process itself. */
export const processIo = (): Io => {
  // A reader that closed the pipe (`| head -1`) is no failure of the command.
  const ignoreClosedPipe = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
  };
  process.stdout.on('error', ignoreClosedPipe);
  process.stderr.on('error', ignoreClosedPipe);
  return {
    env: process.env,
    clock: systemClock,
    get stdin() {
      return process.stdin;
    },
    get interactive() {
      return process.stdin.isTTY === true;
    },
    ask: askHidden,
    write: (data) => void process.stdout.write(data),
    gone: () => process.stdout.destroyed,
    print: (line) => void process.stdout.write(`${line}\n`),
    warn: (line) => void process.stderr.write(`${line}\n`),
    show: (text) => void process.stderr.write(text),
    terminal: process.stderr.isTTY === true,
  };
};
