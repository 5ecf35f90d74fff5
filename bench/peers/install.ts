/** Brings a peer from the registry into a folder, and prepares it there: once, as long as nothing of it changes. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { root } from '../data.ts';
import { expectStatus, people } from './answers.ts';
import type { Durability, Folders, Peer, Place } from './peer.ts';
import { type Product, productOf } from './product.ts';
import { plainEnv, remember, startServer } from './server.ts';

const applications = join(root, 'bench/peers/applications');

interface Run {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end. @throws Error with the end of its words */
const run = ({ command, args, cwd, env = {} }: Run): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = remember(
      spawn(command, args, { cwd, env: plainEnv(env), stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    let [printed, said] = ['', ''];
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk;
      said += chunk;
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0
        ? resolve(printed)
        : reject(new Error(`${command} ${args.join(' ')} ended with ${code}: ${said.slice(-3_000)}`)),
    );
  });

/** Does something once for a digest that a file keeps, after what an earlier digest left was removed. */
const once = async (folder: string, digest: string, work: () => Promise<void>): Promise<void> => {
  const mark = join(folder, 'done');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === digest) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await work();
  writeFileSync(mark, digest);
};

const digestOf = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

interface Wanted {
  readonly packages: Peer['packages'];
  readonly moduleType?: 'module' | undefined;
}

const npmInstall = async (folder: string, { packages, moduleType }: Wanted, env = {}): Promise<void> => {
  const manifest = { name: 'bench', private: true, type: moduleType, dependencies: packages };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
  await run({ command: 'npm', args, cwd: folder, env });
};

interface Node {
  readonly program: string;
  /** What is put into the environment of npm: this Node first, and its headers for what is compiled. */
  readonly env: Readonly<Record<string, string>>;
}

/** A Node with its headers, from the registry. */
const nodeOf = async (cache: string, version: string): Promise<Node> => {
  const folder = join(cache, `node-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  await once(folder, version, () => npmInstall(folder, { packages: { [name]: version } }));
  const home = join(folder, 'node_modules', name);
  const path = `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`;
  return { program: join(home, 'bin/node'), env: { PATH: path, npm_config_nodedir: home } };
};

/** A peer that is there, with the program that runs it. */
export interface Installed {
  readonly peer: Peer;
  readonly node: string;
  readonly folders: Folders;
  readonly durability: Durability;
}

const filesIn = (path: string): readonly string[] =>
  statSync(path).isFile()
    ? [path]
    : globSync('**/*', { cwd: path, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort();

/** The text of all that makes a peer what it is. */
const sourcesOf = ({ application, sources }: Peer): readonly string[] => {
  const own = application === undefined ? [] : [join(applications, application)];
  const all = [...sources, ...own, join(import.meta.dirname, 'product.ts')];
  return all.flatMap(filesIn).map((file) => readFileSync(file, 'utf8'));
};

const rowsIn = (data: string): string => join(data, 'rows.json');

const placeOf = (peer: Peer, folders: Folders, node: Node): Place => ({
  ...folders,
  run: (args, env = {}) => {
    const given = { ROWS: rowsIn(folders.data), USERS_OF_BENCH: JSON.stringify(people.users) };
    const all = { ...node.env, ...given, ...env };
    return run({ command: node.program, args, cwd: folders.folder, env: all });
  },
  serve: async (use) => {
    const first = { method: 'GET', path: peer.detail(1) } as const;
    const server = await startServer({ peer, folders, node: node.program, first });
    try {
      await use(async (asked, headers) => (await expectStatus(server.port, asked, headers)).body);
    } finally {
      await server.stop();
    }
  },
});

const installPackages = async (folder: string, peer: Peer, node: Node, digest: string): Promise<void> => {
  if (Object.keys(peer.packages).length === 0) return void mkdirSync(folder, { recursive: true });
  await once(folder, digest, () => npmInstall(folder, peer, node.env));
};

/** What of a folder belongs to the installation. */
const installedNames = new Set(['node_modules', 'package.json', 'package-lock.json', 'done']);

/** Puts the application beside its packages, and takes away what was made of an earlier one. */
const copyApplication = ({ application }: Peer, folder: string): void => {
  for (const name of readdirSync(folder))
    if (!installedNames.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  if (application !== undefined) cpSync(join(applications, application), folder, { recursive: true });
};

/** @throws Error that says why it cannot be had on this machine */
export const install = async (cache: string, peer: Peer, count: number): Promise<Installed> => {
  const version = peer.node ?? process.version.slice(1);
  const own = Object.keys(peer.packages).length === 0;
  const node: Node = own ? { program: process.execPath, env: {} } : await nodeOf(cache, version);
  const folder = join(cache, peer.name.toLowerCase().replaceAll(/\W+/g, '-'));
  const packages = digestOf(peer.packages, version);
  await installPackages(folder, peer, node, packages);
  const [data, kept] = [`${folder}-data`, `${folder}-data/durability.json`];
  await once(data, digestOf(packages, count, sourcesOf(peer)), async () => {
    copyApplication(peer, folder);
    const rows: Product[] = Array.from({ length: count }, (_, index) => productOf(index + 1));
    writeFileSync(rowsIn(data), JSON.stringify(rows));
    const durability = await peer.prepare(placeOf(peer, { folder, data }, node), rows);
    writeFileSync(kept, JSON.stringify(durability));
  });
  const durability = JSON.parse(readFileSync(kept, 'utf8')) as Durability;
  return { peer, node: node.program, folders: { folder, data }, durability };
};
