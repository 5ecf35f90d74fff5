import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInBash } from '../tour/bash.ts';
import type { Step } from '../tour/blocks.ts';

/** The address that guides name, where the test listens on a free port instead. */
const shownAddress = '127.0.0.1:3000';

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/**
 * Shell functions in place of the reader: one starts the service of a page in a terminal of its own, waits for its
 * greeting and ends the one before by Ctrl-C. A page sees none of their variables.
 */
const preludeOf = (port: string, logs: string): string => `
set -m
__service=
# npm may be gone before the service, which drains: its port is free once no request is answered.
__stop() { if [ -n "$__service" ]; then kill -INT -- "-$__service" 2>/dev/null; wait "$__service" || true; __service=; while curl -so /dev/null "http://127.0.0.1:${port}/api/v1/health"; do sleep 0.05; done; fi; }
trap __stop EXIT
__greeting() {
  for _ in $(seq 1200); do
    curl -fso /dev/null "http://127.0.0.1:${port}/api/v1/health?ready" && break
    kill -0 "$__service" || { cat '${logs}/out' '${logs}/err' >&2; exit 1; }
    sleep 0.05
  done
  grep -v '^[{>]' '${logs}/out' || true
}
# A reader sees in the first terminal what gatewright dev makes of a change, and waits for that.
__outcomes() { grep -E '^(Restarted on|Not applied yet|Not started)' '${logs}/out' || true; }
__restarted() {
  [ -n "$__service" ] || return 0
  for _ in $(seq 600); do
    __outcomes | tail -n "+$(($__before + 1))" | tail -n 1 | grep -q "$1" && return 0
    sleep 0.05
  done
  cat '${logs}/out' '${logs}/err' >&2
  exit 1
}
set -eo pipefail
`;

/** One block after which the service under development starts again, or says why it does not. */
const awaited = (command: string, outcome: string): string =>
  `__before=$(__outcomes | wc -l)\n${command}\n__restarted '${outcome}'`;

/** Writes a file as a reader does. A change of the code is a change of the service under development. */
const writing = (file: string, text: string): string => {
  const mark = 'END OF THE FILE';
  const command = `mkdir -p "$(dirname '${file}')"\ncat > '${file}' << '${mark}'\n${text}${mark}`;
  return /(?<!\.test)\.ts$/.test(file) ? awaited(command, '') : command;
};

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
const scriptOf = ({ command, note, file }: Step, port: string, logs: string): string => {
  if (file !== undefined) return writing(file, command);
  if (note === 'restarts') return awaited(command, '^Restarted');
  if (note === 'install') return ': the packages of this block are there already';
  // tests/package installs the packed file; here it is the package that lies in node_modules.
  if (note === 'packed') return command.replace(/npx --yes --package \S+ gatewright/, 'npx gatewright');
  // In the foreground a reader would not get any further in this terminal.
  if (note === 'background')
    return `__stop\n{ export PORT=${port}; ${command} } > '${logs}/out' 2> '${logs}/err' &\n__service=$!\n__greeting`;
  return command;
};

/**
 * Runs the blocks of a page one after the other in one bash; returns what each printed. A command that fails ends
 * the run, unless the block says how it ends. It has the variables of `environment` and nothing else. `usesNpm`:
 * whether npx is npm's own. `port`: where the service listens; a free one unless given.
 */
export const runSteps = async (
  steps: readonly Step[],
  directory: string,
  environment: NodeJS.ProcessEnv,
  { usesNpm, port: given }: { readonly usesNpm: boolean; readonly port?: number },
): Promise<readonly string[]> => {
  const port = String(given ?? (await freePort()));
  const logs = await mkdtemp(join(tmpdir(), 'gatewright-guide-logs-'));
  const commands = steps.map((step) =>
    scriptOf(step, port, logs).replaceAll(shownAddress, `127.0.0.1:${port}`),
  );
  try {
    const prelude = (usesNpm ? '' : directNpx) + preludeOf(port, logs);
    return await runInBash(commands, { directory, environment, prelude });
  } finally {
    await rm(logs, { recursive: true, force: true });
  }
};
