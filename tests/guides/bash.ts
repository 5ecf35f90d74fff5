import { once } from 'node:events';
import { createServer } from 'node:net';
import { runInBash } from '../tour/bash.ts';
import type { Step } from '../tour/blocks.ts';

/** The address that guides name, where the test listens on a free port instead. */
const shownAddress = '127.0.0.1:3000';

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** Shell functions for what the notes of blocks ask for. */
const prelude = `
set -m
service=
# npm may be gone before the service, which drains: its port is free once no connection succeeds any more.
stop_service() { if [ -n "$service" ]; then kill -TERM -- "-$service"; wait "$service" || true; service=; while curl -so /dev/null "$URL/api/v1/health"; do sleep 0.1; done; fi; }
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

/** Runs the command that npx finds, without the start of npm, which takes longer than most commands of the guides. */
const directNpx = `
npx() {
  local name=$1 folder=$PWD
  shift
  until [ -x "$folder/node_modules/.bin/$name" ]; do folder=$(dirname "$folder"); done
  PATH="$folder/node_modules/.bin:$PATH" "$folder/node_modules/.bin/$name" "$@"
}
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
 * Runs the blocks of a page one after the other in one bash; returns what each printed. A command that fails ends
 * the run, unless the block says how it ends. `usesNpm`: whether npx is npm's own.
 */
export const runSteps = async (
  steps: readonly Step[],
  directory: string,
  environment: NodeJS.ProcessEnv,
  { usesNpm }: { readonly usesNpm: boolean },
): Promise<readonly string[]> => {
  const port = String(await freePort());
  const commands = steps.map((step) => scriptOf(step).replaceAll(shownAddress, `127.0.0.1:${port}`));
  const variables = { ...environment, PORT: port, URL: `http://127.0.0.1:${port}` };
  const functions = usesNpm ? prelude : directNpx + prelude;
  return runInBash(commands, { directory, environment: variables, prelude: functions });
};
