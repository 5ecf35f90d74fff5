import { type Logger, pino } from 'pino';

/**
 * Writes the lines of one turn of the event loop together: a system call for each would cost more than the line. None
 * waits for longer than that, and an exit, be it by an exception, writes what there is.
 */
export const byTurn = (write: (lines: string) => unknown): { write(line: string): void } => {
  let lines = '';
  const flush = (): void => {
    const text = lines;
    lines = '';
    if (text !== '') write(text);
  };
  let exiting = false;
  process.on('exit', () => {
    exiting = true;
    flush();
  });
  return {
    write: (line) => {
      if (lines === '') setImmediate(flush);
      lines += line;
      if (exiting) flush();
    },
  };
};

/** JSON lines on standard output. */
export const createLogger = (level: string): Logger => {
  const stdout = pino.destination({ sync: true });
  return pino(
    { level },
    byTurn((lines) => stdout.write(lines)),
  );
};
