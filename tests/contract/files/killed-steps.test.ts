/**
 * A process may end between any two steps of an upload, a replacement, a removal or a sweep: no record names missing
 * bytes then, and the next sweep leaves no bytes that no record names.
 */

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { Database, Transaction } from '../../../src/database/database.ts';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { DiskStore } from '../../../src/files/disk-store.ts';
import { StoredFiles } from '../../../src/files/files.ts';
import type { FileStore } from '../../../src/files/store.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { startService } from '../../support/service.ts';
import { testsAll } from '../../support/tiers.ts';

const paperFields = { scan: field.file() };
const paper = defineResource('Paper', { fields: paperFields });
const migrations: Migrations = {
  '0001_papers': { up: (db, dialect) => createTable(db, dialect, 'papers', { fields: paperFields }) },
};

class Killed extends Error {}

/** The steps that a process still makes before it ends. Nothing works afterwards, also not what cleans up. */
class Life {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  async step<T>(work: () => Promise<T>): Promise<T> {
    if (this.#left <= 0) throw new Killed();
    this.#left -= 1;
    return work();
  }
}

const mortalDatabase = (database: Database, life: Life): Database =>
  new Proxy(database, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) =>
        life.step(() => Promise.resolve(Reflect.apply(member, target, args) as unknown));
    },
  });

/** A disk whose process may also end in the middle of a file. */
const mortalStore = (
  store: FileStore,
  folder: string,
  life: Life,
): Pick<FileStore, 'write' | 'read' | 'remove'> => ({
  write: async (key, source, limit) => {
    await life.step(async () => {});
    try {
      await life.step(async () => {});
    } catch (killed) {
      const draft = join(folder, key.slice(0, 2), `${key}.draft`);
      await mkdir(dirname(draft), { recursive: true });
      await writeFile(draft, 'half');
      throw killed;
    }
    return store.write(key, source, limit);
  },
  read: (key, range) => store.read(key, range),
  remove: (key) => life.step(() => store.remove(key)),
});

const filesIn = async (folder: string): Promise<readonly string[]> => {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.flatMap((each) => (each.isFile() ? each.name : [])).toSorted();
};

const kills = testsAll ? 10_000 : 400;

describeEachDatabase('files of records', (databases) => {
  it(`files are whole after ${kills} kills at random steps, and none is left over`, {
    timeout: 3_600_000,
  }, async () => {
    await using service = await startService(databases, {
      application: { resources: [paper], migrations },
      workers: 1,
    });
    const { database } = service.server.services;
    const folder = join(service.env['DATA_DIR'] ?? '', 'files');
    const disk = new DiskStore(folder);
    const columns = [{ table: { schema: undefined, name: 'papers' }, column: 'scan' }];
    const run = (sql: string, within?: Transaction) =>
      within === undefined
        ? database.write((each) => each.run({ sql, parameters: [] }))
        : within.run({ sql, parameters: [] });
    const papers = () =>
      database.all<{ id: number; scan: number | null }>({
        sql: 'select id, scan from papers',
        parameters: [],
      });
    const now = "'2026-11-30T00:00:00.000Z'";

    /** One operation of a process that ends after some steps. */
    const operate = async (steps: number): Promise<void> => {
      const life = new Life(steps);
      const mortal = mortalDatabase(database, life);
      const store = { ...mortalStore(disk, folder, life), close: () => {} } as unknown as FileStore;
      const files = new StoredFiles(mortal, store, columns);
      const rows = await papers();
      const one = rows[Math.floor(Math.random() * rows.length)];
      const upload = async () => {
        const source = async function* () {
          yield randomBytes(100);
        };
        const about = { model: 'Paper', field: 'scan', uploader: 'user:1', name: undefined, claimed: '' };
        return files.upload({ ...about, max: 1_000, types: undefined, checksum: undefined }, source());
      };
      const hold = async (transaction: Transaction, record: number, file: number): Promise<void> => {
        const holder = { model: 'Paper', record, uploaders: ['user:1'], restores: false };
        const refused = await files.hold(transaction, holder, [{ field: 'scan', file }]);
        expect(refused).toBeUndefined();
      };
      const chance = Math.random();
      if (one === undefined || chance < 0.3) {
        const { id } = await upload();
        await mortal.write(async (transaction) => {
          const sql = `insert into papers (scan, created_at, updated_at) values (${id}, ${now}, ${now}) returning id`;
          const [row] = await transaction.all<{ id: number }>({ sql, parameters: [] });
          await hold(transaction, Number(row?.id), id);
        });
      } else if (chance < 0.6) {
        const { id } = await upload();
        await mortal.write(async (transaction) => {
          await run(`update papers set scan = ${id} where id = ${one.id}`, transaction);
          await hold(transaction, Number(one.id), id);
        });
        if (one.scan !== null) await files.removal.release(Number(one.scan));
      } else if (chance < 0.7) {
        await mortal.write((transaction) =>
          run(`update papers set scan = null where id = ${one.id}`, transaction),
        );
        if (one.scan !== null) await files.removal.release(Number(one.scan));
      } else if (chance < 0.9) {
        await mortal.write((transaction) => run(`delete from papers where id = ${one.id}`, transaction));
      } else await files.removal.sweep(async () => {});
    };

    /** The next process sweeps, long after. */
    const check = async (): Promise<void> => {
      await run("update gatewright_files set changed_at = '2001-01-01T00:00:00.000Z'");
      const files = new StoredFiles(database, disk, columns);
      await files.removal.sweep(async () => {});
      const named: string[] = [];
      for (const { scan } of await papers()) {
        if (scan === null) continue;
        const file = await files.find(Number(scan));
        if (file === undefined) throw new Error('a record names a row that is gone');
        const bytes = await buffer(await files.read(file));
        expect([bytes.byteLength, createHash('sha256').update(bytes).digest('hex')]).toEqual([
          file.size,
          file.checksum,
        ]);
        named.push(file.key);
      }
      expect(await filesIn(folder)).toEqual(named.toSorted());
      const left = await database.all({ sql: 'select key from gatewright_removed_files', parameters: [] });
      expect(left).toEqual([]);
    };

    let killed = 0;
    for (let tries = 0; killed < kills; tries += 1) {
      await operate(Math.floor(Math.random() * 12)).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
        killed += 1;
      });
      if (tries % 50 === 49) await check();
    }
    await check();
  });
});
