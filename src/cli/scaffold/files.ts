/** Writes generated files: new ones, all or none and never over an existing one, or those that a command owns. */

import { access, mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, parse, relative } from 'node:path';
import { errorMessage } from '../../kernel/error-message.ts';
import { CommandError, UsageError } from '../io.ts';

export interface NewFile {
  /** Relative to the application's folder. */
  readonly path: string;
  readonly text: string;
}

const exists = async (path: string): Promise<boolean> => {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
};

/** Refuses invalid names of files in `endpoints/` or `jobs/`. @throws UsageError */
export const assertFileName = (name: string): void => {
  if (name.length > 63 || !/^[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*$/.test(name))
    throw new UsageError(
      `'${name}': a name is letters and digits, with single - or _ between them, at most 63`,
    );
};

/** Refuses a file if one with another extension has its name: no application starts with both. @throws UsageError */
export const assertNewStem = async (folder: string, path: string): Promise<void> => {
  const { dir, name } = parse(path);
  const there = await readdir(join(folder, dir)).catch(() => []);
  const other = there.find((each) => parse(each).name.toLowerCase() === name.toLowerCase());
  if (other !== undefined) throw new UsageError(`${dir}/${other} exists already; nothing was written`);
};

/**
 * Writes new files, all or none. It never overwrites a file; if one cannot be written, the others and their new
 * folders are removed.
 * @throws UsageError if a file exists, CommandError if writing fails
 */
export const writeNewFiles = async (folder: string, files: readonly NewFile[]): Promise<void> => {
  for (const { path } of files)
    if (await exists(join(folder, path))) throw new UsageError(`${path} exists already; nothing was written`);
  const folders: string[] = [];
  const written: string[] = [];
  try {
    for (const { path, text } of files) {
      const target = join(folder, path);
      const made = await mkdir(dirname(target), { recursive: true });
      if (made !== undefined) folders.push(made);
      await writeFile(target, text, { flag: 'wx' });
      written.push(target);
    }
  } catch (cause) {
    await Promise.all(written.map((path) => rm(path, { force: true })));
    for (const path of folders.reverse()) await rmdir(path).catch(() => {});
    const reason = errorMessage(cause);
    throw new CommandError(`nothing was written: ${reason}`, { cause });
  }
};

/**
 * Writes files, new ones and in place of existing ones. All texts are on the disk before the first file changes, and
 * the last file of the list changes last.
 * @throws CommandError if they cannot be written
 */
export const replaceFiles = async (folder: string, files: readonly NewFile[]): Promise<void> => {
  const drafts: { readonly draft: string; readonly target: string }[] = [];
  try {
    for (const { path, text } of files) {
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true });
      // The names of an application's files do not begin so.
      const draft = join(dirname(target), `.${parse(path).base}.${process.pid}.draft`);
      drafts.push({ draft, target });
      await writeFile(draft, text, { flag: 'w' });
    }
  } catch (cause) {
    await Promise.all(drafts.map(({ draft }) => rm(draft, { force: true })));
    throw new CommandError(`nothing was written: ${errorMessage(cause)}`, { cause });
  }
  for (const { draft, target } of drafts) await rename(draft, target);
};

/** A path relative to the current folder. */
export const shownPath = (folder: string, path: string): string =>
  relative(process.cwd(), join(folder, path));
