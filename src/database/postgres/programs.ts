/**
 * Programs of PostgreSQL (`pg_dump`, `pg_restore`, `psql`): found, checked for their version, and run without a
 * password in their arguments.
 */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { childEnvironment } from '../../kernel/child-environment.ts';

/** PostgreSQL's own programs for a copy. */
type ProgramName = 'pg_dump' | 'pg_restore';

export interface Program {
  readonly path: string;
  readonly name: ProgramName;
  /** Major version, which decides what servers it can work with. */
  readonly major: number;
  /** Version as the program prints it: `15.14`. */
  readonly version: string;
}

/** Variables of libpq that the caller may have set. */
const ofLibpq = /^PG[A-Z]+$/;

/** Parameters of a URL that libpq knows by a variable. */
const variables: Readonly<Record<string, string>> = {
  sslmode: 'PGSSLMODE',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslrootcert: 'PGSSLROOTCERT',
  options: 'PGOPTIONS',
};

/**
 * A connection as its programs take it: by variables, as lists of processes show arguments to everybody. The password
 * stands nowhere else.
 */
export const connectionVariables = (url: string): Readonly<Record<string, string>> => {
  const { host, port, user, database, password } = new Client({ connectionString: url });
  const environment = childEnvironment(ofLibpq);
  Object.assign(environment, { PGHOST: host, PGPORT: String(port), PGAPPNAME: 'gatewright', LC_ALL: 'C' });
  if (user !== undefined) environment['PGUSER'] = user;
  if (database !== undefined) environment['PGDATABASE'] = database;
  if (typeof password === 'string' && password !== '') environment['PGPASSWORD'] = password;
  const { searchParams } = new URL(url);
  if (/^(?:true|1)$/.test(searchParams.get('ssl') ?? '')) environment['PGSSLMODE'] = 'require';
  for (const [parameter, variable] of Object.entries(variables)) {
    const value = searchParams.get(parameter);
    if (value !== null) environment[variable] = value;
  }
  return environment;
};

/**
 * A program and its version. @param folder where it is; the PATH's where none is given
 * @throws Error that says what to install, where it is missing
 */
export const findProgram = async (name: ProgramName, folder: string | undefined): Promise<Program> => {
  const path = folder === undefined ? name : join(folder, name);
  const asked = promisify(execFile)(path, ['--version'], { env: childEnvironment(ofLibpq) });
  const { stdout } = await asked.catch((cause: Error) => {
    const where = folder === undefined ? 'on the PATH' : `in ${folder}`;
    throw new Error(
      `there is no ${name} ${where}: install PostgreSQL's client programs, or name their folder with --programs`,
      { cause },
    );
  });
  const [, version = '', major = ''] = /\(PostgreSQL\) ((\d+)\S*)/.exec(stdout) ?? [];
  if (version === '') throw new Error(`${path} --version prints no version of PostgreSQL`);
  return { path, name, version, major: Number(major) };
};

/** @throws Error that names both versions, where a program is older than its server or file */
export const demandVersion = (program: Program, major: number, of: string): void => {
  if (program.major >= major) return;
  throw new Error(
    `${program.name} is version ${program.version}, and ${of} is version ${major}, which it cannot ` +
      `${program.name === 'pg_dump' ? 'copy' : 'read'}: install the client programs of version ${major} or newer, ` +
      `and name their folder with --programs`,
  );
};

/** A program that runs. */
export interface RunningProgram {
  readonly child: ChildProcess;
  /** Resolves when it has ended with status 0. @throws Error with what it said, or the reason of the signal */
  readonly done: Promise<void>;
}

/** Starts a program. An abort ends it. */
export const start = (
  { path, name }: Program,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): RunningProgram => {
  const child = spawn(path, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  const finish = async (): Promise<void> => {
    try {
      const [said, [code, killed]] = await Promise.all([text(child.stderr), once(child, 'close')]);
      signal.throwIfAborted();
      if (code === 0) return;
      const lines = said.trim().split('\n');
      const last = lines.findLast((line) => /error:/i.test(line)) ?? lines.at(-1) ?? '';
      throw new Error(last === '' ? `${name} ended with ${String(killed ?? code)}` : last);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
  return { child, done: finish() };
};
