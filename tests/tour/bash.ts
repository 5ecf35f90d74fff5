import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const mark = '=== end of step ===';

interface Place {
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Runs before the first command; its output is not looked at. */
  readonly prelude?: string;
}

/**
 * Runs commands one after the other in one bash; returns what each printed.
 * @throws Error with the command and what it said where the run ends before the last one does
 */
export const runInBash = async (
  commands: readonly string[],
  { directory, environment, prelude = '' }: Place,
): Promise<readonly string[]> => {
  const script = commands.map((command) => `${command}\nprintf '\\n%s\\n' '${mark}'\n`).join('');
  const bash = spawn('bash', ['-c', prelude + script], {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([text(bash.stdout), text(bash.stderr), once(bash, 'close')]);
  const parts = output.split(`${mark}\n`);
  if (parts.length !== commands.length + 1)
    throw new Error(`${commands[parts.length - 1]}${parts.at(-1)}${errors}`);
  return parts.slice(0, -1);
};
