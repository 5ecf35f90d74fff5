import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UploadFolders } from './uploads.ts';

let parent = '';
const failures: unknown[] = [];
const folders = () => new UploadFolders(parent, (error) => failures.push(error));

beforeEach(async () => {
  parent = join(await mkdtemp(join(tmpdir(), 'gatewright-uploads-')), 'uploads');
  failures.length = 0;
});
afterEach(() => rm(join(parent, '..'), { recursive: true, force: true }));

const left = async (pid: number, host = hostname()): Promise<string> => {
  const name = `${host}-${pid}-0123456789abcdef`;
  await mkdir(join(parent, name, '1'), { recursive: true });
  await writeFile(join(parent, name, '1', '1'), 'x');
  return name;
};

/** The number of a process that has ended. */
const endedProcess = async (): Promise<number> => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
};

const known = (caller: string) => ({ caller, unidentified: false });
const unknown = (caller: string) => ({ caller, unidentified: true });

describe('UploadFolders', () => {
  it('sweeps what processes of this machine left that are gone, and nothing else', async () => {
    const gone = await left(await endedProcess());
    // In a container each process has the number of the one before.
    const namesake = await left(process.pid);
    const kept = [await left(process.ppid), await left(await endedProcess(), 'another-machine'), 'else'];
    await mkdir(join(parent, 'else'));
    const own = folders();
    const { path } = await own.open(known('a'));
    await own.sweep();
    const names = await readdir(parent);
    expect(names).toEqual(expect.arrayContaining(kept));
    expect([gone, namesake].filter((name) => names.includes(name))).toEqual([]);
    expect(await readdir(join(path, '..'))).toEqual(['1']);
    await own.close();
    expect((await readdir(parent)).sort()).toEqual(kept.sort());
    await expect(own.open(known('a'))).rejects.toMatchObject({ problem: 'stopping' });
    expect(failures).toEqual([]);
  });

  it('sweeps nothing where nothing was ever uploaded', async () => {
    await folders().sweep();
    await expect(readdir(parent)).rejects.toThrow('ENOENT');
  });

  it('opens eight for one caller, half of all for all strangers, and as many again as are given back', async () => {
    const own = folders();
    const ofOne = await Promise.all(Array.from({ length: 8 }, () => own.open(known('a'))));
    await expect(own.open(known('a'))).rejects.toMatchObject({ problem: 'overloaded' });
    await ofOne[0]?.remove();
    await own.open(known('a'));
    const strangers = Array.from({ length: 32 }, (_, index) => own.open(unknown(`network ${index}`)));
    await Promise.all(strangers);
    await expect(own.open(unknown('network'))).rejects.toMatchObject({ problem: 'overloaded' });
    await Promise.all(Array.from({ length: 24 }, (_, index) => own.open(known(`user ${index}`))));
    await expect(own.open(known('b'))).rejects.toMatchObject({ problem: 'overloaded' });
    await own.close();
  });
});
