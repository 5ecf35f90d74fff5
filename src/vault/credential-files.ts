/**
 * Files on disk that survive a power failure: atomic replacement, creation by one process only, fingerprints
 * of changes.
 */

import { randomBytes } from 'node:crypto';
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorMessage } from '../kernel/error-message.ts';
import { syncDirectory } from '../kernel/sync-directory.ts';
import { VaultError } from './vault-error.ts';

/** The `code` of a system error (`ENOENT`, …), undefined for any other value. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** The result of `look`, undefined where it fails because the file, or its directory, does not exist. */
const ifPresent = async <T>(look: Promise<T>): Promise<T | undefined> => {
  try {
    return await look;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** The bytes of a file, undefined where it does not exist. Throws any other error of the system. */
export const readIfPresent = (path: string): Promise<Uint8Array | undefined> => ifPresent(readFile(path));

/**
 * A fingerprint that changes whenever a file is replaced, rewritten, removed or created; equal for an unchanged file.
 * Never throws: a file that cannot be read is represented by the system's error code.
 */
export const fingerprint = async (path: string): Promise<string> => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(':');
  } catch (error) {
    return String(codeOf(error));
  }
};

/** Creates a directory (0700) and its parents, durably. An existing one is left unchanged. */
const ensureDirectory = async (path: string): Promise<void> => {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let created = resolve(path); created.length >= first.length; created = dirname(created)) {
    await syncDirectory(dirname(created));
  }
};

/** Creates the directory of a file, and returns the file's path without symbolic links. */
export const settledPath = async (path: string): Promise<string> => {
  await ensureDirectory(dirname(path));
  return (await ifPresent(realpath(path))) ?? join(await realpath(dirname(path)), basename(path));
};

/** Keeps the owner, so that a command that root runs does not take the file from the service that reads it. */
const keepOwner = async (handle: FileHandle, path: string): Promise<void> => {
  const [mine, before] = [await handle.stat(), await ifPresent(stat(path))];
  if (before === undefined || (before.uid === mine.uid && before.gid === mine.gid)) return;
  try {
    await handle.chown(before.uid, before.gid);
  } catch (cause) {
    throw new VaultError(`${path} belongs to another user: run the command as that user`, { cause });
  }
};

/** Removes temporary files of killed writers. No writer may be active. */
export const removeDrafts = async (path: string): Promise<void> => {
  const target = await settledPath(path);
  const start = `.${basename(target)}.`;
  for (const name of await readdir(dirname(target)))
    if (name.startsWith(start) && /^[0-9a-f]{16}\.tmp$/.test(name.slice(start.length)))
      await rm(join(dirname(target), name), { force: true });
};

/** Writes a new file (0600) beside `path`, to the disk, and passes its name to `place`, which moves it there. */
const withDraft = async (
  path: string,
  data: Uint8Array,
  place: (draft: string) => Promise<void>,
): Promise<void> => {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`);
  const handle = await open(draft, 'wx', 0o600);
  try {
    try {
      await handle.writeFile(data).catch((cause: unknown) => {
        // The system's error for a full disk names no file.
        throw new VaultError(`${path}: ${errorMessage(cause)}`, { cause });
      });
      await keepOwner(handle, path);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await place(draft);
  } finally {
    await rm(draft, { force: true });
  }
  await syncDirectory(dirname(path));
};

/** Replaces a file atomically: readers see the old or the new one, also after a power failure. */
export const writeAtomically = async (path: string, data: Uint8Array): Promise<void> => {
  const target = await settledPath(path);
  await withDraft(target, data, (draft) => rename(draft, target));
};

/** Creates a file that must not exist yet, with its whole content. Returns false where another process was first. */
export const createOnce = async (path: string, data: Uint8Array): Promise<boolean> => {
  const target = await settledPath(path);
  try {
    await withDraft(target, data, (draft) => link(draft, target));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
};
