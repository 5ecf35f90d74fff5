import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../scripts/house.ts', import.meta.url));

const lines = (count: number, line: string): string => `${line}\n`.repeat(count);

/** A small house with occurrences of every figure. */
const house: Readonly<Record<string, string>> = {
  'src/index.ts': `export { list } from './records/list/list.ts';\n`,
  'src/kernel/clock.ts': `export { list as clock } from '../records/list.ts';\n`,
  'src/records/list.ts': `export { list } from './list/list.ts';\n`,
  'src/records/list/list.ts': `import type { clock } from '../../kernel/clock.ts';
import { dialectOf } from '../../database/dialects.ts';
// Of a list: this comment has no subject.
export const list = (by?: typeof clock) => ({
  ...{ dialectOf },
  ...({ by: 1 } as const),
  ...(by && { by }),
});
`,
  'src/database/dialects.ts': `/* ${'x'.repeat(120)} */\nexport const dialectOf = 1;\n`,
  'src/model/long.ts': `export const long = () => {\n${lines(81, '  void 0;')}};\n`,
  'src/model/longest.ts': `/** Says what it is for. */\nexport const longest = () => {\n${lines(151, '  void 0;')}};\n`,
  'src/model/list.ts': 'export {};\n',
  // Tests are no part of the house.
  'src/model/list.test.ts': `export { list } from '../records/list/list.ts';\n`,
};

describe('the count of the house', () => {
  let root: string;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'gatewright-house-'));
    for (const [file, text] of Object.entries(house)) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), text);
    }
  });

  afterAll(() => rm(root, { recursive: true, force: true }));

  const counted = (...options: readonly string[]) =>
    new Promise<{ readonly status: number; readonly text: string }>((resolve) => {
      execFile(process.execPath, [program, `--root=${root}`, ...options], (error, text) =>
        resolve({ status: Number(error?.code ?? 0), text }),
      );
    });

  it('the program counts each occurrence of every figure', async () => {
    const { text } = await counted();
    const figures = [...text.matchAll(/^. ([a-z]+): (\d+) /gm)].map(([, name, count]) => [
      name,
      Number(count),
    ]);
    expect(Object.fromEntries(figures)).toEqual({
      doors: 1,
      rooms: 4,
      pairs: 1,
      purpose: 1,
      longest: 1,
      long: 2,
      literals: 2,
      conditional: 1,
      dialects: 1,
      names: 1,
      wide: 1,
      subjects: 1,
    });
  });

  it('a figure over its bound fails the run', async () => {
    const { status, text } = await counted('--list=longest');
    expect(status).toBe(1);
    expect(text).toContain('src/model/longest.ts:2 longest, 153 lines');
  });
});
