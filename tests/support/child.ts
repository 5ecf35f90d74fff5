import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A process of the test's own, talked to by lines. */
export interface Child {
  readonly process: ChildProcess;
  /** Lines of its standard output, as they come. */
  readonly lines: AsyncIterableIterator<string>;
  /** Resolves with the exit code (null after a signal) once it has ended and its output is read. */
  readonly exited: Promise<number | null>;
}

export interface ChildOptions {
  /** Options of Node. */
  readonly flags?: readonly string[];
  /** Files that the system lets it open; as many as this process may open unless given. */
  readonly openFiles?: number;
  /** Beside what this process has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The variables that every process of a test shares with this one: where programs are, and where compiled code is kept. */
export const inheritedEnvironment = (): NodeJS.ProcessEnv => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
};

/** Runs a TypeScript file of tests/ with this Node; what it writes to standard error is shown. */
export const startChild = (
  file: string,
  args: readonly string[],
  { flags = [], openFiles, env }: ChildOptions = {},
): Child => {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const limit = openFiles === undefined ? '' : `ulimit -n ${openFiles} && `;
  const command = ['-c', `${limit}exec "$0" "$@"`, process.execPath, ...flags, path, ...args];
  const child = spawn('/bin/sh', command, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  return {
    process: child,
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    exited: once(child, 'close').then(([code]: unknown[]) => (typeof code === 'number' ? code : null)),
  };
};
