import { type Logger, pino } from 'pino';

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
