/** Runs a script or a console with the application's records, on the configured database. */

import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type REPLServer, start } from 'node:repl';
import { PassThrough, Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { scopeOfUser } from '../accounts/users.ts';
import { anonymous } from '../auth/principal.ts';
import { errorMessage } from '../kernel/error-message.ts';
import { catalogueOf } from '../kernel/messages.ts';
import { Problem } from '../kernel/problem.ts';
import { problemText } from '../kernel/problem-text.ts';
import type { ScriptContext } from '../model/scope.ts';
import { apiArea } from '../resources/area.ts';
import { openApplication } from './application.ts';
import { CommandError, type Io } from './io.ts';
import { userIdOf, withOperations } from './transfer/opened.ts';

/**
 * Runs work with the context of a script, on the configured database.
 * @param reason of the writes in the audit log that act for the system
 */
const withContext = (
  io: Io,
  reason: string,
  args: readonly string[],
  work: (context: ScriptContext) => Promise<void>,
  open: typeof openApplication,
): Promise<void> =>
  withOperations(
    io,
    async ({ services }) => {
      const actor = () => ({ principal: 'command line', address: null }) as const;
      const outside = services.scopeOf({ principal: anonymous, area: apiArea, actor, depth: 0 });
      const as: ScriptContext['as'] = async (username) => {
        const scope = await scopeOfUser(services, await userIdOf(services, username));
        if (scope === undefined) throw new CommandError(`the user ${username} is disabled`);
        return scope;
      };
      await work({ ...outside.asSystem(reason), args, as });
    },
    open,
  );

/** The function that a file exports by default. @throws CommandError */
const scriptOf = async (path: string): Promise<(context: ScriptContext) => unknown> => {
  const { default: script } = (await import(pathToFileURL(resolve(path)).href)) as {
    readonly default?: unknown;
  };
  if (typeof script !== 'function') throw new CommandError(`${path} exports no function by default`);
  return script as (context: ScriptContext) => unknown;
};

/** The error of a script, whose stack is shown unless it is a refusal or of a command. */
const failure = (io: Io, path: string, cause: unknown): CommandError => {
  if (cause instanceof Problem) {
    const refused = cause.errors?.map(({ message }) => message) ?? [problemText(catalogueOf('en'), cause)];
    return new CommandError(`${path}: ${refused.join('; ')}`, { cause });
  }
  const message = errorMessage(cause);
  if (cause instanceof Error && !(cause instanceof CommandError)) io.warn(cause.stack ?? message);
  return new CommandError(`${path}: ${message}`, { cause });
};

/** Runs the function that a file exports by default. @throws CommandError if it throws */
export const runScript = async (
  io: Io,
  path: string,
  args: readonly string[],
  open = openApplication,
): Promise<void> => {
  const script = await scriptOf(path);
  const work = async (context: ScriptContext): Promise<void> => {
    try {
      await script(context);
    } catch (error) {
      throw failure(io, path, error);
    }
  };
  await withContext(io, `gatewright run ${path}`, args, work, open);
};

/** The names that the console knows. */
const namesOf = ({ sql: statements, args: _, ...context }: ScriptContext) => ({
  ...context,
  sql: (texts: TemplateStringsArray, ...values: unknown[]) => statements.all(sql(texts, ...values)),
});

/** Starts a REPL on a terminal. */
const onTerminal = (): REPLServer => start({ prompt: 'gatewright> ', ignoreUndefined: true });

/** Starts a REPL that gets the next line of stdin when it is ready for one: it does not wait for `await` by itself. */
const onPipe = (io: Io): REPLServer => {
  const lines = createInterface({ input: Readable.from(io.stdin) })[Symbol.asyncIterator]();
  const input = new PassThrough();
  const output = new Writable({
    write: (chunk: Uint8Array, _, done) => {
      io.write(chunk);
      done();
    },
  });
  const server = start({ input, output, terminal: false, prompt: '', ignoreUndefined: true });
  server.displayPrompt = async () => {
    const { value, done } = await lines.next();
    if (done === true) input.end();
    else input.write(`${value}\n`);
  };
  server.displayPrompt();
  return server;
};

/** Reads code by the line, evaluates it and prints the result, until the input ends. */
export const runConsole = async (io: Io, open = openApplication): Promise<void> => {
  const work = async (context: ScriptContext): Promise<void> => {
    const server = io.interactive ? onTerminal() : onPipe(io);
    Object.assign(server.context, namesOf(context));
    await once(server, 'exit');
  };
  await withContext(io, 'gatewright console', [], work, open);
};
