import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Block } from './pages.ts';

/** A command of a guide and what the page shows as its output; undefined where it shows none. */
export interface Step {
  readonly command: string;
  readonly note: string | undefined;
  readonly output: string | undefined;
}

/** The address that guides name, where the test listens on a free port instead. */
const shownAddress = '127.0.0.1:3000';

export const stepsOf = (blocks: readonly Block[]): readonly Step[] =>
  blocks.flatMap(({ language, text: command, note }, index) => {
    if (language !== 'bash') return [];
    const next = blocks[index + 1];
    return [{ command, note, output: next?.language === 'text' ? next.text : undefined }];
  });

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

const mark = '=== end of step ===';

/** Shell functions for what the notes of blocks ask for. */
const prelude = `
set -m
service=
stop_service() { if [ -n "$service" ]; then kill -TERM -- "-$service"; wait "$service" || true; service=; fi; }
trap stop_service EXIT
greeting() {
  for _ in $(seq 600); do
    curl -fso /dev/null "$URL/api/v1/health?ready" && break
    kill -0 "$service" || { cat service.log service.err >&2; exit 1; }
    sleep 0.1
  done
  grep -v '^[{>]' service.log || true
  PASSWORD=$(sed -n 's/.*with the password //p' service.log)
}
set -eo pipefail
`;

/** One block as the script runs it. */
const scriptOf = ({ command, note }: Step): string => {
  if (note === 'install') return ': what the block installs is there already';
  // In the foreground a reader would not get any further in this terminal.
  if (note === 'background')
    return `stop_service\n{ ${command} } > service.log 2> service.err &\nservice=$!\ngreeting`;
  return command;
};

/**
 * Runs the blocks of a page one after the other in one bash; answers what each printed. A command that fails ends
 * the run, unless the block says how it ends.
 */
export const runSteps = async (
  steps: readonly Step[],
  directory: string,
  environment: NodeJS.ProcessEnv,
): Promise<readonly string[]> => {
  const port = String(await freePort());
  const script = steps
    .map((step) => `${scriptOf(step)}\nprintf '\\n%s\\n' '${mark}'\n`)
    .join('')
    .replaceAll(shownAddress, `127.0.0.1:${port}`);
  const bash = spawn('bash', ['-c', prelude + script], {
    cwd: directory,
    env: { ...environment, PORT: port, URL: `http://127.0.0.1:${port}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([text(bash.stdout), text(bash.stderr), once(bash, 'close')]);
  const parts = output.split(`${mark}\n`);
  if (parts.length !== steps.length + 1)
    throw new Error(`${steps[parts.length - 1]?.command}${parts.at(-1)}${errors}`);
  return parts.slice(0, -1);
};
