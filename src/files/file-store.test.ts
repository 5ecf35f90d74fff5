/** Every store of files is held to this page: a folder, and a bucket of a real server. */

import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasS3Server, type S3Server, startS3Server } from '../../tests/support/s3-server.ts';
import { createSmallDisk, hasSmallDisks } from '../../tests/support/small-disk.ts';
import { DiskStore } from './disk-store.ts';
import { S3Store } from './s3-store.ts';
import {
  FileMissing,
  type FileStore,
  FileTooLarge,
  newFileKey,
  type PartedUpload,
  PartIncomplete,
  StoreFull,
  StoreUnavailable,
} from './store.ts';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Bytes in chunks of a size that divides nothing. */
const chunks = async function* (bytes: Uint8Array, size = 60_001): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
};

/** A source that fails after some bytes, as a caller who hangs up. */
const broken = async function* (bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  throw new Error('hung up');
};

const readAll = async (store: FileStore, key: string): Promise<Buffer> => buffer(await store.read(key));

/** The text of a file of which a part arrived after it was joined. */
const readAfterLatePart = async (store: FileStore): Promise<string> => {
  const key = newFileKey();
  const upload = { key, upload: await store.begin(key), size: 8, partSize: 5 * 1_048_576 };
  const gate = Promise.withResolvers<void>();
  const late = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('late');
    await gate.promise;
    yield Buffer.from('late');
  };
  const writing = store.writePart(upload, 1, late()).catch(() => {});
  await store.writePart(upload, 1, chunks(Buffer.from('verified')));
  await store.join(upload);
  gate.resolve();
  await writing;
  try {
    return (await readAll(store, key)).toString();
  } finally {
    await store.remove(key);
  }
};

interface Tried {
  readonly store: FileStore;
  /** Another store over the same bytes, as a second instance has it, or the next process. */
  readonly again: () => FileStore;
  /** Everything that is stored, under any name. */
  readonly names: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

const onDisk = async (): Promise<Tried> => {
  const folder = await mkdtemp(join(tmpdir(), 'gatewright-files-'));
  const names = async (): Promise<string[]> => {
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    return found.flatMap((each) => (each.isFile() ? each.name : []));
  };
  return {
    store: new DiskStore(folder),
    again: () => new DiskStore(folder),
    names,
    close: () => rm(folder, { recursive: true }),
  };
};

const inBucket = async (): Promise<Tried> => {
  const server: S3Server = await startS3Server();
  Object.assign(process.env, server.credentials);
  const { bucket, region, endpoint } = server;
  const open = (): FileStore => new S3Store({ bucket, region, endpoint, prefix: 'shop/' });
  const store = open();
  return {
    store,
    again: open,
    names: server.names,
    close: async () => {
      store.close();
      await server.close();
      for (const name of Object.keys(server.credentials)) delete process.env[name];
    },
  };
};

const stores = [
  { name: 'a folder', open: onDisk, runs: true },
  { name: 'a bucket of S3', open: inBucket, runs: hasS3Server },
];

describe.each(stores)('$name', ({ open, runs }) => {
  if (!runs) {
    test.skip('this machine has no server of S3');
    return;
  }
  let tried: Tried;
  beforeAll(async () => {
    tried = await open();
  });
  afterAll(() => tried?.close());

  test.each([
    ['nothing', 0],
    ['one byte', 1],
    ['one part and a byte', 5 * 1_048_576 + 1],
    ['exactly two parts', 10 * 1_048_576],
  ])('stores %s, and returns its size and checksum', async (_name, size) => {
    const bytes = randomBytes(size);
    const key = newFileKey();
    const stored = await tried.store.write(key, chunks(bytes), size);
    expect(stored).toEqual({ size, checksum: sha256(bytes) });
    expect((await readAll(tried.again(), key)).equals(bytes)).toBe(true);
  });

  test('reads a range of bytes, the last one included', async () => {
    const bytes = randomBytes(300_000);
    const key = newFileKey();
    await tried.store.write(key, chunks(bytes), 300_000);
    const middle = await buffer(await tried.store.read(key, { first: 99_999, last: 200_000 }));
    expect(middle.equals(bytes.subarray(99_999, 200_001))).toBe(true);
    expect(await buffer(await tried.store.read(key, { first: 299_999, last: 299_999 }))).toHaveLength(1);
  });

  test('refuses more bytes than the limit while they arrive, and keeps none of them', async () => {
    const key = newFileKey();
    const before = await tried.names();
    let given = 0;
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      for (;;) {
        given += 65_536;
        yield new Uint8Array(65_536);
      }
    };
    await expect(tried.store.write(key, endless(), 6_000_000)).rejects.toThrow(FileTooLarge);
    expect(given).toBeLessThan(6_200_000);
    await expect(tried.store.read(key)).rejects.toThrow(FileMissing);
    expect(await tried.names()).toEqual(before);
  });

  test('keeps nothing of a source that fails, before and after the first part', async () => {
    const before = await tried.names();
    for (const size of [10, 6_000_000]) {
      const key = newFileKey();
      await expect(tried.store.write(key, broken(new Uint8Array(size)), 10_000_000)).rejects.toThrow(
        'hung up',
      );
      await expect(tried.store.read(key)).rejects.toThrow(FileMissing);
    }
    expect(await tried.names()).toEqual(before);
  });

  test('removes a file, and does nothing where there is none', async () => {
    const key = newFileKey();
    const before = await tried.names();
    await tried.store.write(key, chunks(randomBytes(10)), 10);
    await tried.store.remove(key);
    await tried.store.remove(key);
    await expect(tried.store.read(key)).rejects.toThrow(FileMissing);
    expect(await tried.names()).toEqual(before);
  });

  const partSize = 5 * 1_048_576;
  const begin = async (size: number): Promise<PartedUpload> => {
    const key = newFileKey();
    return { key, upload: await tried.store.begin(key), size, partSize };
  };

  test('joins parts that arrive in any order, through another instance', async () => {
    const bytes = randomBytes(2 * partSize + 7);
    const upload = await begin(bytes.byteLength);
    const part = (number: number) => chunks(bytes.subarray((number - 1) * partSize, number * partSize));
    await tried.store.writePart(upload, 3, part(3));
    await tried.store.writePart(upload, 1, part(1));
    const resumed = tried.again();
    expect(await resumed.parts(upload)).toEqual([
      { number: 1, size: partSize },
      { number: 3, size: 7 },
    ]);
    await expect(resumed.join(upload)).rejects.toThrow(PartIncomplete);
    await resumed.writePart(upload, 2, part(2));
    await expect(tried.store.read(upload.key)).rejects.toThrow(FileMissing);
    await resumed.join(upload);
    expect((await readAll(tried.store, upload.key)).equals(bytes)).toBe(true);
    // The answer to the first one was lost.
    await tried.store.join(upload);
    expect((await readAll(tried.store, upload.key)).equals(bytes)).toBe(true);
  });

  test('a part that is sent again replaces the one before, and an interrupted one does not count', async () => {
    const upload = await begin(8);
    await tried.store.writePart(upload, 1, chunks(Buffer.from('original')));
    await tried.store.writePart(upload, 1, chunks(Buffer.from('replaced')));
    await tried.store.join(upload);
    expect((await readAll(tried.store, upload.key)).toString()).toBe('replaced');
    const other = await begin(8);
    await expect(tried.store.writePart(other, 1, broken(Buffer.from('orig')))).rejects.toThrow('hung up');
    await expect(tried.store.writePart(other, 1, chunks(Buffer.from('short')))).rejects.toThrow(
      PartIncomplete,
    );
    await expect(tried.store.writePart(other, 1, chunks(Buffer.from('too long')))).resolves.toBeUndefined();
    await expect(tried.store.writePart(other, 1, chunks(Buffer.from('far too long')))).rejects.toThrow(
      FileTooLarge,
    );
    await expect(tried.store.writePart(other, 2, chunks(Buffer.from('x')))).rejects.toThrow(PartIncomplete);
    await tried.store.remove(other.key);
  });

  test('a part that is late never puts other bytes into the joined file', async () => {
    // OpenStack Swift lets it replace the part, and then refuses to read the file.
    const text = await readAfterLatePart(tried.store).catch((error: unknown) => error);
    expect(text === 'verified' || text instanceof StoreUnavailable).toBe(true);
  });

  test('removes an upload that was never finished', async () => {
    const before = await tried.names();
    const upload = await begin(2 * partSize);
    await tried.store.writePart(upload, 1, chunks(new Uint8Array(partSize)));
    await tried.store.remove(upload.key);
    expect(await tried.names()).toEqual(before);
  });

  test('no key leads out of the store', async () => {
    for (const key of ['../../etc/passwd', '', 'A'.repeat(32), `${'a'.repeat(31)}/`, `${'a'.repeat(32)}\n`])
      await expect(tried.store.read(key)).rejects.toThrow('not the key of a file');
  });
});

describe('a folder', () => {
  test.runIf(hasSmallDisks)('says that the disk is full, and works when there is room again', async () => {
    const disk = await createSmallDisk(4);
    try {
      const store = new DiskStore(join(disk.path, 'files'));
      const key = newFileKey();
      const bytes = randomBytes(2_000_000);
      await store.write(key, chunks(bytes), 2_000_000);
      await disk.fill();
      await expect(store.write(newFileKey(), chunks(bytes), 2_000_000)).rejects.toThrow(StoreFull);
      expect((await readAll(store, key)).equals(bytes)).toBe(true);
      await disk.empty();
      const next = newFileKey();
      expect(await store.write(next, chunks(bytes), 2_000_000)).toEqual({
        size: 2_000_000,
        checksum: sha256(bytes),
      });
    } finally {
      await disk.close();
    }
  });

  test('keeps the joined file as it is when a part is late', async () => {
    const { store, names, close } = await onDisk();
    expect(await readAfterLatePart(store)).toBe('verified');
    expect(await names()).toEqual([]);
    await close();
  });

  test('only the user of the process can open the folders and the files', async () => {
    const { store, names, close } = await onDisk();
    const key = newFileKey();
    await store.write(key, chunks(randomBytes(3)), 3);
    expect(await names()).toEqual([key]);
    await close();
    const folder = await mkdtemp(join(tmpdir(), 'gatewright-files-'));
    const inner = join(folder, 'files');
    await new DiskStore(inner).write(key, chunks(randomBytes(3)), 3);
    expect((await stat(join(inner, key.slice(0, 2)))).mode & 0o777).toBe(0o700);
    expect((await stat(join(inner, key.slice(0, 2), key))).mode & 0o777).toBe(0o600);
    await rm(folder, { recursive: true });
  });
});

describe('a bucket of S3', () => {
  test('says that no server answers', async () => {
    const away = { bucket: 'files', prefix: '', region: 'us-east-1', endpoint: 'http://127.0.0.1:9' };
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'none', AWS_SECRET_ACCESS_KEY: 'none' });
    const store = new S3Store(away);
    await expect(store.write(newFileKey(), chunks(randomBytes(3)), 3)).rejects.toThrow(StoreUnavailable);
    await expect(store.read(newFileKey())).rejects.toThrow(StoreUnavailable);
    store.close();
  });
});
