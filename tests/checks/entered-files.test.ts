import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A reader of a request has to open these files: what is added to a way joins one that is there, or is worth its own. */
it('a create enters no more than 42 files of src, a list with an include no more than 46', async () => {
  const script = ['scripts/entered-files.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, script, { cwd: root, timeout: 50_000 });
  const numbers = [...stdout.matchAll(/(\d+) files/g)].map(([, number]) => Number(number));
  expect(numbers).toHaveLength(2);
  const [create = Infinity, list = Infinity] = numbers;
  expect(create).toBeLessThanOrEqual(42);
  expect(list).toBeLessThanOrEqual(46);
}, 60_000);
