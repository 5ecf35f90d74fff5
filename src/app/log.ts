import { hostname } from 'node:os';
import { type Logger, pino } from 'pino';
import { type Figure, figure } from '../kernel/figure.ts';
import { Output } from './output.ts';

/** The line that stands where lines are missing, as the logger itself would write it. */
const droppedLine = (dropped: number): string =>
  `${JSON.stringify({
    level: 40,
    time: Date.now(),
    pid: process.pid,
    hostname: hostname(),
    dropped,
    msg: 'log lines were dropped: nobody could take them',
  })}\n`;

let standardOutput: Output | undefined;

/** One for the whole process, as there is one standard output. */
const outputOfLog = (): Output => {
  standardOutput ??= new Output(1, droppedLine);
  return standardOutput;
};

/** Lines of the log that were dropped since the start of the process, for who watches it. */
export const droppedFigure = (): Figure =>
  figure(
    'counter',
    'log_lines_dropped_total',
    'Lines of the log that nobody could take.',
    standardOutput?.lost ?? 0,
  );

/** JSON lines on standard output. A log that cannot be written stops nothing: see `Output`. */
export const createLogger = (level: string): Logger => {
  const output = outputOfLog();
  return pino({ level }, { write: (line) => output.write(line) });
};

const textOf = (chunk: unknown): string =>
  typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString();

/**
 * Leads what else is written to standard output and standard error, by `console.log` above all, the way of the log.
 * Node's own streams keep what a reader does not take in memory without a bound, and end the process where a disk is
 * full. For processes that serve; a command's output must arrive whole.
 */
export const guardStandardStreams = (): void => {
  const errors = new Output(
    2,
    (dropped) => `gatewright: ${dropped} lines were dropped: nobody could take them\n`,
  );
  for (const [stream, output] of [
    [process.stdout, outputOfLog()],
    [process.stderr, errors],
  ] as const) {
    stream.write = (chunk: unknown, second?: unknown, third?: unknown): boolean => {
      output.write(textOf(chunk));
      const written = typeof second === 'function' ? second : third;
      if (typeof written === 'function') setImmediate(() => written());
      return true;
    };
  }
};

/** What a line of the log may hold. */
interface Line {
  readonly level: number;
  readonly msg?: string;
  readonly method?: string;
  readonly route?: string | null;
  readonly status?: number;
  readonly milliseconds?: number;
  /** What a security event is about. */
  readonly event?: string;
  readonly username?: string;
  readonly err?: { readonly stack?: string };
  readonly applied?: readonly string[];
}

const readable = (line: Line): string => {
  if (line.msg === 'request')
    return `${line.method} ${line.route ?? '(no such path)'} ${line.status}  ${line.milliseconds} ms`;
  if (line.event !== undefined)
    return [`${line.msg}: ${line.event}`, line.username].filter((part) => part !== undefined).join(', ');
  const text = line.applied === undefined ? (line.msg ?? '') : `applied ${line.applied.join(', ')}`;
  return line.err?.stack === undefined ? text : `${text}\n${line.err.stack}`;
};

/** The service's log as a person at a terminal reads it. */
export const readableLog = (level: string, print: (line: string) => void): Logger =>
  pino(
    { level },
    {
      write: (text: string) => {
        const line = JSON.parse(text) as Line;
        // Where it listens is said by the greeting.
        if (line.msg !== 'listening') print(readable(line));
      },
    },
  );
