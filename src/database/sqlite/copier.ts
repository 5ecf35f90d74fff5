/** Backup and restore on SQLite: a copy of the pages of one state, checked before it takes its name. */

import {
  closeSync,
  createReadStream,
  createWriteStream,
  fdatasyncSync,
  fsyncSync,
  openSync,
  statSync,
} from 'node:fs';
import { link, mkdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncDirectory } from '../../kernel/sync-directory.ts';
import { inPartDirectory } from '../part-directory.ts';
import type { ServiceNames } from '../service-names.ts';
import type { CopyOptions, DatabaseCopier, DatabaseTarget, TableSnapshot } from '../target.ts';
import { isSqliteError } from './errors.ts';
import { ServiceClaim } from './service-claim.ts';
import { onSqliteSnapshot, snapshotOf, withFrozen } from './snapshot.ts';

/** Pages copied at a time, between which signals are heard; and steps after which they are synced to the disk. */
const pagesPerStep = 256;
const stepsPerSync = 16;

/** Suffixes of files that SQLite leaves next to a database, and would use for any other file of that name. */
const companions = ['-wal', '-journal', '-shm'] as const;

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/**
 * All pages, as the transaction of `source` sees them. A copy that looked at the file again with each step would begin
 * again whenever another process writes, and never end.
 */
const copyPages = async (source: DatabaseSync, path: string, options: CopyOptions): Promise<void> => {
  const { page_size: size } = source.prepare('pragma page_size').get() as { page_size: number };
  const file = openSync(path, 'wx', 0o600);
  let steps = 0;
  try {
    await backup(source, path, {
      rate: pagesPerStep,
      progress: ({ totalPages, remainingPages }) => {
        options.signal.throwIfAborted();
        options.onProgress((totalPages - remainingPages) * size, totalPages * size);
        steps += 1;
        // In small steps: writing a gigabyte at once would delay every sync on the same disk.
        if (steps % stepsPerSync === 0) fdatasyncSync(file);
      },
    });
    options.signal.throwIfAborted();
  } catch (cause) {
    if (!isSqliteError(cause)) throw cause;
    throw new Error(`cannot write ${path}: ${cause.message}`, { cause });
  } finally {
    closeSync(file);
  }
};

/** Makes a file without a log, which can be opened on a read-only disk. */
const settle = (path: string): void => {
  using copy = new DatabaseSync(path);
  copy.exec('pragma trusted_schema = off; pragma journal_mode = delete');
};

const check = (database: DatabaseSync, path: string): void => {
  const flaw = database.prepare('pragma integrity_check(1)').get()?.['integrity_check'];
  if (flaw !== 'ok') throw new Error(`${path} is damaged: ${String(flaw)}`);
  const broken = database.prepare('pragma foreign_key_check').get();
  if (broken !== undefined)
    throw new Error(
      `${path} has rows of ${String(broken['table'])} that refer to missing rows of ${String(broken['parent'])}`,
    );
};

const copyFile = async (from: string, to: string, { signal, onProgress }: CopyOptions): Promise<void> => {
  const { size } = statSync(from);
  let bytes = 0;
  const count = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      onProgress(bytes, size);
      done(null, chunk);
    },
  });
  const write = createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(createReadStream(from, { highWaterMark: 1 << 20 }), count, write, { signal });
};

const syncFile = (path: string): void => {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

/** True if a service that was started with this file still runs, although the file is missing. */
const isServed = (path: string): boolean => {
  if (!exists(`${path}-service`)) return false;
  const claim = new ServiceClaim(path, 'first');
  claim.release();
  return !claim.alone;
};

export const sqliteCopier = (
  given: string,
  names: ServiceNames,
  targetOf: (path: string) => DatabaseTarget,
): DatabaseCopier => {
  const place = resolve(given);

  const occupied = (): string | undefined => {
    if (exists(place)) return `${place} exists`;
    const left = companions.map((suffix) => place + suffix).find(exists);
    if (left !== undefined)
      return `${left} is left of a database that was here, and would be taken for a part of the restored one: move it`;
    return isServed(place) ? `a service runs on ${place}, which was taken from it: stop it` : undefined;
  };

  const restore = async (
    from: string,
    options: CopyOptions,
    accept: (snapshot: TableSnapshot) => Promise<void>,
  ): Promise<void> => {
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    await inPartDirectory(`${place}.part`, async (directory) => {
      const draft = join(directory, basename(place));
      await copyFile(from, draft, options);
      await withFrozen(draft, async (database) => {
        check(database, from);
        await accept(snapshotOf(database, names));
      });
      options.signal.throwIfAborted();
      syncFile(draft);
      const reason = occupied();
      if (reason !== undefined) throw new Error(reason);
      // Unlike a rename it replaces no other file.
      await link(draft, place);
      await syncDirectory(dirname(place));
    });
  };

  return {
    magic: 'SQLite format 3\0',
    copy: (path, options, describe) =>
      withFrozen(given, async (source) => {
        await copyPages(source, path, options);
        settle(path);
        const server = `SQLite ${String(source.prepare('select sqlite_version() as v').get()?.['v'])}`;
        // The copy is described, not its source: a flaw of the copy is not found otherwise.
        return onSqliteSnapshot(path, names, (snapshot) => describe(snapshot, { server, schema: undefined }));
      }),
    occupied: async () => occupied(),
    restore: (path, _facts, options, accept) => restore(path, options, accept),
    onTemporary: (beside, work) =>
      inPartDirectory(`${beside}.part`, (directory) => work(targetOf(join(directory, 'verify.db')))),
  };
};
