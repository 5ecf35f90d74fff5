/** The access.lock of each example, compared by the command line as it is shipped. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../tour/service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const check = (example: string): Promise<readonly [status: number, output: string]> =>
  new Promise((resolve) => {
    const cwd = join(root, 'examples', example);
    // npm would name the application of the checkout.
    const args = [join(root, 'bin/gatewright.js'), 'access', '--check'];
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) =>
      resolve([Number(error?.code ?? 0), stdout + stderr]),
    );
  });

describe('access.lock of the examples', () => {
  beforeAll(ensureBuilt, 180_000);

  it.each(['clinic', 'newsroom', 'shop', 'teams'])('a check of the example %s succeeds', async (example) => {
    const [status, output] = await check(example);
    expect(output).toContain('No access was gained or lost.');
    expect(status).toBe(0);
  });
});
