import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The last stage of a Dockerfile, as far as it says how the image is run. */
export interface Stage {
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly command: readonly string[];
  readonly health: readonly string[];
  readonly stopSignal: NodeJS.Signals;
}

/** Reads the instructions that `Stage` has; each stands on one line in our file, but for comments. */
export const lastStage = (dockerfile: string): Stage => {
  const lines = dockerfile.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const begin = lines.findLastIndex((line) => line.startsWith('FROM '));
  const of = (instruction: string): string[] =>
    lines
      .slice(begin)
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length + 1));
  const words = (text: string | undefined): string[] => JSON.parse(text?.match(/\[.*\]$/)?.[0] ?? '[]');
  return {
    env: Object.fromEntries(
      of('ENV')
        .flatMap((line) => line.split(' '))
        .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
    user: of('USER').at(-1) ?? 'root',
    command: words(of('CMD').at(-1)),
    health: words(of('HEALTHCHECK').at(-1)),
    stopSignal: (of('STOPSIGNAL').at(-1) ?? 'SIGTERM') as NodeJS.Signals,
  };
};

/** The user `node` of Node's images. */
const uid = 1000;

/**
 * The program that runs as process 1 of a mount and a process namespace: nothing of the file system can be written but the data.
 * Arguments: an empty folder, the data, the application, the checkout, user and group; then the command.
 */
const script = `
set -e
place=$1 data=$2 app=$3 checkout=$4 user=$5; shift 5
mount --make-rprivate /
mount --bind / "$place"
mount -o remount,bind,ro "$place"
mount --bind /dev "$place/dev"
mount -t proc proc "$place/proc"
mount -t tmpfs -o ro tmpfs "$place/run"
mount --bind "$checkout" "$place/mnt"
mount -o remount,bind,ro "$place/mnt"
mount -t tmpfs -o size=1m tmpfs "$place/media"
mkdir "$place/media/app" "$place/media/data"
mount --bind "$app" "$place/media/app"
mount -o remount,bind,ro "$place/media/app"
mount --bind "$data" "$place/media/data"
mount -o remount,ro "$place/media"
exec /usr/sbin/chroot --userspec="$user:$user" "$place" /bin/sh -c 'cd /media/app && exec "$@"' sh "$@"
`;

/** The first child of a process; undefined where there is none. Not every kernel lists them by their parent. */
const childOf = (parent: number): number | undefined =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      try {
        // The name, in brackets, may hold anything.
        return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]) === parent;
      } catch {
        return false;
      }
    });

export interface Container {
  /** Outside of the namespaces; 0 once it has ended. */
  readonly pid: number;
  output(): string;
  lines(): readonly Readonly<Record<string, unknown>>[];
  ended(): Promise<number | string>;
  remove(): Promise<void>;
}

/**
 * Runs a stage as a container would run it, as far as a machine without containers allows: as process 1, as the user of
 * the image, with a file system that cannot be written but for /data. `folder` is the application's.
 */
export const runStage = async (
  stage: Stage,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<Container> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-container-'));
  const [place, data, app] = ['root', 'data', 'app'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  await Promise.all([mkdir(place), mkdir(data), cp(folder, app, { recursive: true })]);
  await mkdir(join(app, 'node_modules'));
  await symlink('/mnt', join(app, 'node_modules/gatewright'));
  await writeFile(join(app, 'package.json'), '{"type":"module"}');
  await Promise.all([directory, app].map((path) => chmod(path, 0o755)));
  await chmod(data, 0o777);
  const whole = {
    PATH: '/mnt/node_modules/.bin:/usr/bin:/bin',
    ...stage.env,
    ...env,
    DATA_DIR: '/media/data',
    TMPDIR: '/media/data',
  };
  const child = spawn(
    'unshare',
    [
      ...['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, 'sh'],
      ...[place, data, app, root, String(uid)],
      ...stage.command,
    ],
    { env: whole, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const closed = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  return {
    get pid() {
      return childOf(child.pid ?? 0) ?? 0;
    },
    output: () => output,
    lines: () =>
      output
        .split('\n')
        .filter((line) => /^\{.*\}$/.test(line))
        .map((line) => JSON.parse(line)),
    ended: async () => {
      const [code, signal]: unknown[] = await closed;
      return (signal as string | null) ?? Number(code);
    },
    remove: async () => {
      child.kill('SIGKILL');
      await closed;
      await rm(directory, { recursive: true, force: true });
    },
  };
};
