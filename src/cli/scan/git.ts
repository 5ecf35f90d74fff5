/** Reads the objects of a git repository that is not trusted: none of its configuration, hooks or attributes run. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  access,
  copyFile,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { childEnvironment } from '../../kernel/child-environment.ts';
import { CommandError } from '../io.ts';

/*
 * Git runs programs that a repository's own configuration names (`core.fsmonitor`, `gpg.program`, `core.sshCommand`,
 * `filter.*`, …), and the list grows with each release. The scan therefore never lets git see that configuration: git
 * works in a temporary folder with a configuration of ours, whose objects and references are links to the repository's.
 */

/** Parts of a repository that are data: git obeys nothing in them. */
const dataNames = /^(?:objects|refs|packed-refs|reftable|shallow|index|sharedindex\..*|worktrees)$/;

/** Git does not follow links to logs of references: their files and folders are copied, nothing else. */
const copyLogs = (from: string, to: string): Promise<void> =>
  cp(from, to, {
    recursive: true,
    filter: async (path) => {
      const found = await lstat(path);
      return found.isFile() || found.isDirectory();
    },
  });

/** No configuration but ours, nothing fetched, asked for, replaced or written, and messages in English. */
const settings = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  LC_ALL: 'C',
};

export type Git = ChildProcessByStdio<Writable, Readable, Readable>;

const spawnGit = (
  folder: string,
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Git =>
  spawn('git', words, {
    cwd: folder,
    env: { ...childEnvironment(), ...settings, ...more },
    stdio: ['pipe', 'pipe', 'pipe'],
  });

/** Resolves at the end of a process. @throws CommandError with its message unless it succeeded */
export const ended = async (git: Git): Promise<void> => {
  let message = '';
  git.stderr.on('data', (chunk) => {
    message = `${message}${chunk}`.slice(0, 2_000);
  });
  const [code] = await once(git, 'close').catch((error: unknown) => {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new CommandError(isMissing ? 'git is not installed' : `git: ${String(error)}`, { cause: error });
  });
  if (code !== 0) throw new CommandError(message.trim().split('\n')[0] ?? 'git failed');
};

const outputOf = async (git: Git): Promise<string> => {
  const end = ended(git);
  git.stdin.on('error', () => {}).end();
  const chunks: Buffer[] = [];
  git.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await end;
  return Buffer.concat(chunks).toString();
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const isGitFolder = async (path: string): Promise<boolean> =>
  (await exists(join(path, 'HEAD'))) &&
  ((await exists(join(path, 'commondir'))) ||
    ((await exists(join(path, 'objects'))) && exists(join(path, 'refs'))));

/** The first line of a small file that names a path, resolved from the file's folder. */
const pathIn = async (file: string, before = ''): Promise<string | undefined> => {
  const [line = ''] = (await readFile(file, 'utf8')).split('\n', 1);
  return line.startsWith(before) ? resolve(dirname(file), line.slice(before.length).trim()) : undefined;
};

/** The git folder of a work tree, or of a bare repository, at a path or above it. */
const gitFolderOf = async (path: string): Promise<string | undefined> => {
  const inside = join(path, '.git');
  const found = await stat(inside).catch(() => undefined);
  const named = found?.isFile() === true ? await pathIn(inside, 'gitdir: ') : inside;
  for (const candidate of [named, path])
    if (candidate !== undefined && (await isGitFolder(candidate))) return candidate;
  return dirname(path) === path ? undefined : gitFolderOf(dirname(path));
};

/** The folder with the objects and references, which work trees of one repository share. @throws CommandError */
const sharedFolderOf = async (path: string): Promise<string> => {
  const folder = await gitFolderOf(resolve(path));
  if (folder === undefined) throw new CommandError('not a git repository (or any of the parent directories)');
  const shared = join(folder, 'commondir');
  return (await exists(shared)) ? ((await pathIn(shared)) ?? folder) : folder;
};

/** Formats that the configuration has to name for git to read a repository, with their known values. */
const formats = { objectformat: /^sha(?:1|256)$/, refstorage: /^(?:files|reftable)$/ } as const;

/** The configuration in which git reads the objects. Two words of the repository's own are read, as data. */
const configurationFor = async (repository: string, temporary: string): Promise<string> => {
  const lines: string[] = [];
  for (const [name, known] of Object.entries(formats)) {
    const words = [
      'config',
      '--file',
      join(repository, 'config'),
      '--no-includes',
      '--get',
      `extensions.${name}`,
    ];
    // Status 1 means that the name does not exist.
    const value = (await outputOf(spawnGit(temporary, words)).catch(() => '')).trim().toLowerCase();
    if (known.test(value)) lines.push(`\t${name} = ${value}`);
  }
  const version = lines.length === 0 ? 0 : 1;
  const core = `[core]\n\trepositoryformatversion = ${version}\n\tbare = true\n\tfsmonitor = false\n`;
  return lines.length === 0 ? core : `${core}[extensions]\n${lines.join('\n')}\n`;
};

/** The objects of a foreign repository, read without its configuration, hooks or attributes. */
export class ForeignRepository {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws CommandError if there is no repository at the path or above it */
  static async open(path: string): Promise<ForeignRepository> {
    const shared = await sharedFolderOf(path);
    const temporary = await mkdtemp(join(tmpdir(), 'gatewright-scan-'));
    const repository = new ForeignRepository(temporary);
    try {
      for (const name of await readdir(shared))
        if (dataNames.test(name)) await symlink(join(shared, name), join(temporary, name));
      const logs = join(shared, 'logs');
      if (await exists(logs)) await copyLogs(logs, join(temporary, 'logs'));
      // A repository with references in tables may lack the usual folder.
      await mkdir(join(temporary, 'refs'), { recursive: true });
      await copyFile(join(shared, 'HEAD'), join(temporary, 'HEAD'));
      await writeFile(join(temporary, 'config'), await configurationFor(shared, temporary));
      return repository;
    } catch (error) {
      await repository.close();
      throw error;
    }
  }

  /** Starts git on the objects. */
  start(words: readonly string[]): Git {
    return spawnGit(this.#folder, words, { GIT_DIR: this.#folder });
  }

  /** The output of a short command. @throws CommandError */
  output(words: readonly string[]): Promise<string> {
    return outputOf(this.start(words));
  }

  /** Removes the temporary folder; the links in it are not followed. */
  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}
