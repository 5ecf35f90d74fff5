import {
  chmod,
  chown,
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
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOnce, fingerprint, readIfPresent, writeAtomically } from './credential-files.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatewright-files-'));
});
afterEach(() => rm(directory, { recursive: true }));

const text = (path: string) => readFile(path, 'utf8');
const mode = async (path: string) => (await stat(path)).mode & 0o777;

describe('writeAtomically', () => {
  it('makes the directory and the file for the owner only, and leaves no other file', async () => {
    const path = join(directory, 'a', 'b', 'file');
    await writeAtomically(path, Buffer.from('one'));
    await writeAtomically(path, Buffer.from('two'));
    expect(await text(path)).toBe('two');
    expect(await mode(path)).toBe(0o600);
    expect(await mode(join(directory, 'a'))).toBe(0o700);
    expect(await readdir(join(directory, 'a', 'b'))).toEqual(['file']);
  });

  it('replaces what a symbolic link points at, not the link', async () => {
    await mkdir(join(directory, 'etc'));
    await writeFile(join(directory, 'etc', 'file'), 'one');
    await symlink(join(directory, 'etc', 'file'), join(directory, 'link'));
    await writeAtomically(join(directory, 'link'), Buffer.from('two'));
    expect(await text(join(directory, 'etc', 'file'))).toBe('two');
    expect(await readdir(directory)).toEqual(['etc', 'link']);
  });

  it('leaves the old file and no draft where it fails', async () => {
    await mkdir(join(directory, 'taken', 'x'), { recursive: true });
    await expect(writeAtomically(join(directory, 'taken'), Buffer.from('two'))).rejects.toThrow('EISDIR');
    expect(await readdir(directory)).toEqual(['taken']);
  });

  it.runIf(process.getuid?.() === 0)('keeps the owner where root writes', async () => {
    const path = join(directory, 'file');
    await writeFile(path, 'one');
    await chown(path, 12_345, 12_345);
    await writeAtomically(path, Buffer.from('two'));
    expect(await stat(path)).toMatchObject({ uid: 12_345, gid: 12_345 });
  });

  it.runIf(process.getuid?.() === 0)('writeAtomically does not take a file away from its owner', async () => {
    const path = join(directory, 'file');
    await writeFile(path, 'one');
    await chmod(directory, 0o777);
    process.seteuid?.(12_345);
    try {
      await expect(writeAtomically(path, Buffer.from('two'))).rejects.toThrow('belongs to another user');
    } finally {
      process.seteuid?.(0);
    }
    expect(await text(path)).toBe('one');
    expect(await readdir(directory)).toEqual(['file']);
  });
});

describe('createOnce', () => {
  it('lets one of many win and never shows a partial file', async () => {
    const path = join(directory, 'new', 'file');
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, index) => createOnce(path, Buffer.from(String(index).repeat(100)))),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await text(path)).toBe(String(made.indexOf(true)).repeat(100));
    expect(await readdir(join(directory, 'new'))).toEqual(['file']);
  });

  it('throws what is not the presence of the file', async () => {
    await writeFile(join(directory, 'file'), '');
    await expect(createOnce(join(directory, 'file', 'x'), Buffer.from(''))).rejects.toThrow(/ENOTDIR|EEXIST/);
  });
});

describe('readIfPresent', () => {
  it('tells an absent file from one that cannot be read', async () => {
    expect(await readIfPresent(join(directory, 'no', 'file'))).toBeUndefined();
    await expect(readIfPresent(directory)).rejects.toThrow('EISDIR');
  });
});

describe('fingerprint', () => {
  it('changes when the file is replaced by one of the same size', async () => {
    const path = join(directory, 'file');
    const seen = [await fingerprint(path)];
    for (const content of ['one', 'two', 'one']) {
      await writeAtomically(path, Buffer.from(content));
      seen.push(await fingerprint(path));
    }
    expect(seen[0]).toBe('ENOENT');
    expect(new Set(seen).size).toBe(4);
    expect(await fingerprint(path)).toBe(seen[3]);
  });
});
