import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../tour/service.ts';

let folder: string;

/** A checkout whose build writes down that it ran. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatewright-prepare-'));
  await cp(join(root, 'scripts/prepare.js'), join(folder, 'scripts/prepare.js'));
  await cp(join(root, 'bin/runtime.js'), join(folder, 'bin/runtime.js'));
  const build =
    "node -e \"fs.mkdirSync('dist',{recursive:true});fs.appendFileSync('dist/index.js','built ')\"";
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', scripts: { build } }));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const prepare = (npmCommand: string) =>
  spawnSync(process.execPath, [join(folder, 'scripts/prepare.js')], {
    env: { ...process.env, npm_command: npmCommand },
    encoding: 'utf8',
  });

const builds = () => readFile(join(folder, 'dist/index.js'), 'utf8');

describe('the preparation of a checkout', () => {
  it('builds at every installation, and puts the command where npx looks', async () => {
    expect(prepare('ci').status).toBe(0);
    expect(prepare('ci').status).toBe(0);
    expect(await builds()).toBe('built built ');
    expect(await readlink(join(folder, 'node_modules/.bin/gatewright'))).toBe('../../bin/gatewright.js');
  });

  it('leaves what is built alone under npx, as a service may run on it', async () => {
    expect(prepare('exec').status).toBe(0);
    expect(await builds()).toBe('built ');
    expect(prepare('exec').status).toBe(0);
    expect(await builds()).toBe('built ');
  });

  it('fails with the build', async () => {
    const scripts = { build: 'node -e "process.exit(3)"' };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', scripts }));
    expect(prepare('ci').status).toBe(1);
  });
});
