import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A run of its own with the set-up of all tests, PostgreSQL included. */
describe('a test run', () => {
  let directory: string;

  const run = (
    test: string,
    ...options: readonly string[]
  ): Promise<readonly [status: number, output: string]> =>
    new Promise((resolve) => {
      const program = join(root, 'node_modules/vitest/vitest.mjs');
      const args = [program, 'run', '--root', directory, test, ...options];
      const { CI: _, ...env } = process.env;
      execFile(process.execPath, args, { cwd: directory, env }, (error, stdout, stderr) =>
        resolve([Number(error?.code ?? 0), stdout + stderr]),
      );
    });

  beforeAll(async () => {
    await mkdir(join(root, 'reports'), { recursive: true });
    // Inside the checkout, so that the tests of the run find its packages.
    directory = await mkdtemp(join(root, 'reports', 'exit-status-'));
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'), 'junction');
    const write = (name: string, text: string) => writeFile(join(directory, name), text);
    const setup = JSON.stringify(join(root, 'tests/support/global-setup.ts'));
    const coverage = `{ provider: 'v8', include: ['*.ts'], reporter: [], thresholds: { 'half.ts': { lines: 95, branches: 95 } } }`;
    await write(
      'vitest.config.mjs',
      `export default { test: { globalSetup: [${setup}], include: ['*.test.ts'], testTimeout: 60_000, coverage: ${coverage} } };`,
    );
    await write(
      'half.ts',
      'export const half = (flag: boolean) => {\n  if (flag) return 1;\n  return 2;\n};\n',
    );
    const start = `import { expect, inject, it } from 'vitest';\nimport { half } from './half.ts';\n
      it('runs', async () => {
        expect((await fetch(inject('postgresBroker'))).status).toBe(200);\n`;
    await write('passes.test.ts', `${start} expect(half(true)).toBe(1); });`);
    await write('fails.test.ts', `${start} expect(half(true)).toBe(2); });`);
  });

  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('ends with status 0 when every test passed', async () => {
    const [status, output] = await run('passes.test.ts');
    expect(status, output).toBe(0);
  });

  it('ends with another one when a test failed', async () => {
    const [status, output] = await run('fails.test.ts');
    expect(status).toBe(1);
    expect(output).toContain('expected 1 to be 2');
  });

  it('ends with another one when a folder is covered too little', async () => {
    const [status, output] = await run('passes.test.ts', '--coverage');
    expect(status).toBe(1);
    expect(output).toMatch(/Coverage for branches \(50%\) does not meet "half.ts" threshold/);
  });
}, 120_000);
