import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/cli/test-io.ts';
import { openVault } from '../../src/vault/vault.ts';
import { startChild } from '../support/child.ts';

process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'gatewright-compile-cache');

/** Credentials with an application, and the environment that names them. */
const setUp = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-rekey-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const template = join(directory, 'template');
  const envOf = (folder: string) => ({
    DATA_DIR: join(folder, 'data'),
    // The test runner sets one of its own.
    BASE_URL: '',
    CREDENTIALS_FILE: join(folder, 'credentials.age'),
    CREDENTIALS_KEY_FILE: join(folder, 'credentials.key'),
  });
  expect(await run(['app', 'create', 'shop'], { env: envOf(template) })).toMatchObject({ status: 0 });
  const copy = async (name: string) => {
    await cp(template, join(directory, name), { recursive: true });
    return { folder: join(directory, name), env: envOf(join(directory, name)) };
  };
  return copy;
};

const namesIn = async (folder: string, key?: string): Promise<readonly string[]> => {
  const vault = await openVault({
    file: join(folder, 'credentials.age'),
    keyFile: join(folder, 'credentials.key'),
    key,
    production: true,
    onError: (error) => {
      throw error;
    },
  });
  return vault.applications().map(({ app_id }) => app_id);
};

const killed = async (env: Readonly<Record<string, string>>, last: number, args: readonly string[]) => {
  const {
    lines,
    exited,
    process: child,
  } = startChild('faults/children/rekey-killed.ts', [String(last), ...args], {
    env,
  });
  const { value } = await lines.next();
  await exited;
  const count = value === undefined ? undefined : (JSON.parse(value) as { count: number }).count;
  return { killed: child.signalCode === 'SIGKILL', count };
};

/** Kills a command behind each of its operations on files in turn, several at a time. */
const killedEverywhere = async (
  args: (folder: string) => readonly string[],
  check: (folder: string, env: Readonly<Record<string, string>>, old: string) => Promise<void>,
): Promise<number> => {
  const copy = await setUp();
  const one = async (last: number): Promise<boolean> => {
    const { folder, env } = await copy(String(last));
    const old = await readFile(join(folder, 'credentials.key'), 'utf8');
    const result = await killed(env, last, args(folder));
    await check(folder, env, old);
    return result.killed;
  };
  for (let last = 1; ; last += 4) {
    const dead = await Promise.all([last, last + 1, last + 2, last + 3].map(one));
    const survivor = dead.indexOf(false);
    if (survivor !== -1) return last + survivor - 1;
  }
};

it('credentials rekey, killed behind any operation, leaves a pair that opens, and is completed by the next', async () => {
  const operations = await killedEverywhere(
    () => [],
    async (folder, env, old) => {
      expect(await namesIn(folder)).toEqual(['shop']);
      expect(await run(['credentials', 'rekey'], { env })).toMatchObject({ status: 0 });
      expect(await namesIn(folder)).toEqual(['shop']);
      await expect(namesIn(folder, old)).rejects.toThrow('made for another key');
    },
  );
  expect(operations).toBeGreaterThan(15);
}, 60_000);

it('credentials rekey --key-out, killed behind any operation, opens with the key that is there', async () => {
  const operations = await killedEverywhere(
    (folder) => ['--key-out', join(folder, 'new.key')],
    async (folder, env) => {
      const again = ['credentials', 'rekey', '--key-out', join(folder, 'new.key')];
      expect(await namesIn(folder)).toEqual(['shop']);
      expect(await run(again, { env })).toMatchObject({ status: 0 });
      expect(await namesIn(folder)).toEqual(['shop']);
      const fresh = await readFile(join(folder, 'new.key'), 'utf8');
      await writeFile(join(folder, 'credentials.key'), fresh);
      expect(await run(['credentials', 'rekey', '--finish'], { env })).toMatchObject({ status: 0 });
      expect(await namesIn(folder)).toEqual(['shop']);
    },
  );
  expect(operations).toBeGreaterThan(10);
}, 60_000);
