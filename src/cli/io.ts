import { type Clock, systemClock } from '../kernel/clock.ts';

/** The parts of its process that a command uses, so that tests run it in theirs. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Nothing is read from it before a command asks. */
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** Whether a person types at stdin. */
  readonly interactive: boolean;
  /** To stdout, as it is. */
  write(data: string | Uint8Array): void;
  /** Whether the reader of stdout has gone away. */
  gone(): boolean;
  /** One line to stdout. */
  print(line: string): void;
  /** One line to stderr. */
  warn(line: string): void;
  /** To stderr, as it is: what is shown while a command works. */
  show(text: string): void;
  /** Whether a terminal shows stderr. */
  readonly terminal: boolean;
}

/** The command was used wrongly: exit status 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** The command could not do its work, and the message says all there is to say: exit status 1. */
export class CommandError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
  }
}

/** All of stdin, to its end. */
export const readAll = async (io: Io): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
};

/** A secret from stdin, without the line end that `echo` adds. Throws `CommandError` where it is not UTF-8 or empty. */
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

/** The process itself. */
export const processIo = (): Io => {
  // A reader that went away (`| head -1`) is no failure of the command.
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
    write: (data) => void process.stdout.write(data),
    gone: () => process.stdout.destroyed,
    print: (line) => void process.stdout.write(`${line}\n`),
    warn: (line) => void process.stderr.write(`${line}\n`),
    show: (text) => void process.stderr.write(text),
    terminal: process.stderr.isTTY === true,
  };
};
