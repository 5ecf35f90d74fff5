import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { assertCommit, extractCommit } from '../../bench/former.ts';
import { ensureBuilt, root } from '../tour/service.ts';

const run = promisify(execFile);

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

interface LastRelease {
  readonly release: string;
  readonly commit: string;
}

export const lastRelease = async (): Promise<LastRelease> =>
  JSON.parse(await readFile(here('./last-release.json'), 'utf8'));

/** @throws Error that says what to do where the checkout does not have the commit */
export const assertRelease = ({ release, commit }: LastRelease): Promise<void> =>
  assertCommit(commit, `of release ${release} (${commit}), which the test upgrades from`);

/** The tarball of a folder that is built. */
const packed = async (folder: string, directory: string): Promise<string> => {
  const args = ['pack', '--ignore-scripts', '--json', '--loglevel=error', '--pack-destination', directory];
  const { stdout } = await run('npm', args, { cwd: folder, maxBuffer: 16 * 1024 * 1024 });
  const [one] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>);
  if (one === undefined) throw new Error(`npm pack said ${stdout}`);
  return join(directory, one.filename);
};

/** Builds the last release from its commit with its own dependencies; once for all runs on this machine. */
const packLast = async (last: LastRelease): Promise<string> => {
  const kept = join(tmpdir(), `gatewright-release-${last.commit}.tgz`);
  if (existsSync(kept)) return kept;
  await assertRelease(last);
  const folder = await mkdtemp(join(tmpdir(), 'gatewright-last-'));
  try {
    await extractCommit(last.commit, folder);
    const output = { cwd: folder, maxBuffer: 16 * 1024 * 1024 };
    await run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit'], output);
    // Without its install script the package of Node is empty: the one of this checkout runs the build.
    const PATH = `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`;
    await run('npm', ['run', 'build'], { ...output, env: { ...process.env, PATH } });
    const made = await packed(folder, folder);
    // Beside another run that does the same, whichever comes first.
    await cp(made, `${kept}.${process.pid}`);
    await rename(`${kept}.${process.pid}`, kept);
    return kept;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

/** An application's folder with the package in it, as `npm install` would leave it. */
const install = async (tarball: string, folder: string, ...sources: readonly string[]): Promise<void> => {
  const target = join(folder, 'node_modules', 'gatewright');
  await mkdir(target, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  for (const source of sources) await cp(here(source), folder, { recursive: true });
  const [{ dependencies }, ours] = [await manifestOf(target), await manifestOf(root)];
  const installed = { ...ours.devDependencies, ...ours.dependencies };
  const same = Object.entries(dependencies).every(([name, range]) => installed[name] === range);
  // Dependencies of the same ranges are those of this checkout, without the network.
  if (same) await symlink(join(root, 'node_modules'), join(target, 'node_modules'));
  else
    await run('npm', ['install', '--omit=dev', '--prefer-offline', '--no-audit', '--ignore-scripts'], {
      cwd: target,
    });
};

export interface Releases {
  /** Applications with the last release, and with this one. */
  readonly old: string;
  readonly next: string;
  remove(): Promise<void>;
}

/** Both releases, each with the application of its time. */
export const installReleases = async (): Promise<Releases> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-upgrade-'));
  const folders = { old: join(directory, 'old'), next: join(directory, 'next') };
  await ensureBuilt();
  await install(await packLast(await lastRelease()), folders.old, './application');
  await install(await packed(root, directory), folders.next, './application', './next');
  return { ...folders, remove: () => rm(directory, { recursive: true, force: true }) };
};
