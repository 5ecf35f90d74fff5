import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withLock } from './lock.ts';

let path: string;
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'gatewright-lock-')), 'file.lock');
});
afterEach(() => rm(join(path, '..'), { recursive: true }));

it('lets one in at a time', async () => {
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 8 }, () =>
      withLock(path, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise(setImmediate);
        inside -= 1;
      }),
    ),
  );
  expect(most).toBe(1);
  expect(await stat(path)).toMatchObject({ size: 0 });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it('gives up where another holds it for too long, and is free after a task that throws', async () => {
  await withLock(path, async () => {
    await expect(withLock(path, async () => 1, 0)).rejects.toThrow('is held by another command: try again');
  });
  await expect(withLock(path, () => Promise.reject(new Error('task')), 0)).rejects.toThrow('task');
  expect(await withLock(path, async () => 2, 0)).toBe(2);
});

it('throws what is no lock', async () => {
  await writeFile(path, 'this is not a database at all, and it is long enough to be looked at'.repeat(20));
  await expect(withLock(path, async () => 1, 0)).rejects.toThrow('not a database');
  await expect(withLock(join(path, 'x'), async () => 1, 0)).rejects.toThrow('ENOTDIR');
});
