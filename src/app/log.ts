/** The log of a process: JSON lines on standard output, or readable lines at a terminal; neither blocks the service. */

import { hostname } from 'node:os';
import { type Logger, pino } from 'pino';
import { type Figure, figure } from '../kernel/figure.ts';
import { Output } from '../kernel/output.ts';

/** The line that replaces dropped lines, in the format of the logger. */
const droppedLine = (dropped: number): string =>
  `${JSON.stringify({
    level: 40,
    time: Date.now(),
    pid: process.pid,
    hostname: hostname(),
    dropped,
    msg: 'log lines were dropped because the output was blocked',
  })}\n`;

let standardOutput: Output | undefined;

/** The one output of the process, as there is one standard output. */
const outputOfLog = (): Output => {
  standardOutput ??= new Output(1, droppedLine);
  return standardOutput;
};

/** Lines of the log that were dropped since the start of the process. */
export const droppedFigure = (): Figure =>
  figure(
    'counter',
    'log_lines_dropped_total',
    'Log lines dropped because the output was blocked.',
    standardOutput?.lost ?? 0,
  );

/** Logger of JSON lines on standard output. A log that cannot be written does not block the service: see `Output`. */
export const createLogger = (level: string): Logger => {
  const output = outputOfLog();
  return pino({ level }, { write: (line) => output.write(line) });
};

const textOf = (chunk: unknown): string =>
  typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString();

/**
 * Redirects other writes to standard output and standard error, `console.log` above all, to `Output`. Node's own
 * streams keep unread data in memory without a bound, and end the process where a disk is full. For processes that
 * serve; the output of a command must arrive whole.
 */
export const guardStandardStreams = (): void => {
  const errors = new Output(
    2,
    (dropped) => `gatewright: ${dropped} lines were dropped because the output was blocked\n`,
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

/** Fields of a line of the log. */
interface Line {
  readonly level: number;
  readonly msg?: string;
  readonly method?: string;
  readonly route?: string | null;
  readonly status?: number;
  readonly milliseconds?: number;
  /** The subject of a security event. */
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

/** The service's log in a form for a person at a terminal. */
export const readableLog = (level: string, print: (line: string) => void): Logger =>
  pino(
    { level },
    {
      write: (text: string) => {
        const line = JSON.parse(text) as Line;
        // The greeting prints the address of the service.
        if (line.msg !== 'listening') print(readable(line));
      },
    },
  );
