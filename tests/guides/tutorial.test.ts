import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testsAll } from '../support/tiers.ts';
import { type Block, blocksOf, normalised, type Step, stepsOf } from '../tour/blocks.ts';
import { root } from '../tour/service.ts';
import { freePort, runSteps } from './bash.ts';
import { boxOf } from './box.ts';
import { readersEnvironment, shapeOf } from './pages.ts';
import { unportableIn } from './portable.ts';
import { createWorkshop, type Workshop } from './workshop.ts';

interface Page {
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

const folder = join(root, 'docs/tutorial');

const pageOf = (name: string): Page => {
  const text = readFileSync(join(folder, name), 'utf8');
  return { name, text, blocks: blocksOf(text) };
};

const names = globSync('*.md', { cwd: folder }).sort();

/** The pages of a language in order; the overview, which runs nothing, is the last one. */
const pagesOf = (isChinese: boolean): readonly Page[] =>
  names.filter((name) => name.endsWith('.zh-CN.md') === isChinese).map(pageOf);

const languages: readonly (readonly ['en' | 'zh-CN', readonly Page[]])[] = [
  ['en', pagesOf(false)],
  ['zh-CN', pagesOf(true)],
];

/** Commands, and the files that a reader writes between them, in the order of the page. */
const lessonOf = ({ blocks }: Page): readonly Step[] =>
  blocks.flatMap((block, index) => {
    const { file, text, note } = block;
    if (file !== undefined) return [{ command: text, note, output: undefined, file }];
    return stepsOf(blocks.slice(index, index + 2)).slice(0, block.language === 'bash' ? 1 : 0);
  });

/** Code without the one variable by which the English pages have English messages. */
const codeOf = ({ blocks }: Page): readonly Block[] =>
  blocks
    .filter(({ language }) => language !== 'text')
    .map((block) => ({
      ...block,
      text: block.text.replaceAll('LOCALE=en ', '').replaceAll('LOCALE=en\n', ''),
    }));

let workshop: Workshop;
beforeAll(async () => {
  workshop = await createWorkshop();
}, 180_000);
afterAll(() => workshop?.remove());

describe.each(languages)('the tutorial (%s)', (language, pages) => {
  const steps = pages.slice(0, -1);

  it.each(pages)('$name has blocks that are all executed, or shown as output', ({ blocks }) => {
    for (const { language: kind, text, file } of blocks) {
      expect(['bash', 'ts', 'text'], text).toContain(kind);
      if (kind === 'ts') expect(file, text).toBeDefined();
    }
  });

  it.each(pages)(
    '$name needs no newer curl, GNU tools or Node, and no loop without a limit',
    ({ blocks }) => {
      const commands = blocks.filter(({ language: kind }) => kind === 'bash');
      expect(commands.flatMap(({ text }) => unportableIn(text))).toEqual([]);
    },
  );

  it('begins with a box, and every step says where it begins', () => {
    const [overview] = pages.slice(-1);
    expect(boxOf(overview?.text ?? '', language === 'zh-CN')).toMatchObject({ place: 'empty' });
    expect(steps.length).toBe(9);
    const first =
      language === 'en' ? (n: number) => `> **Step ${n} of 9, ` : (n: number) => `> **第 ${n} 步，共 9 步`;
    for (const [index, { text }] of steps.entries()) expect(text).toContain(first(index + 1));
  });

  // Chinese pages have the code of the English ones (below), and other output: the long tier plays them as well.
  describe.runIf(language === 'en' || testsAll)('from an empty folder, page after page', () => {
    let start: string;
    // One for all pages, as the reader writes it into a file.
    let port: number;
    beforeAll(async () => {
      start = await workshop.folder(`tutorial-${language}`);
      port = await freePort();
    });

    it.each(steps)(
      '$name runs, with the output that it shows',
      async (page) => {
        const lesson = lessonOf(page);
        const began = performance.now();
        const directory = page === steps[0] ? start : join(start, 'shop');
        // A terminal of its own for each page: it has the variables that this page sets.
        const outputs = await runSteps(lesson, directory, readersEnvironment(), { usesNpm: false, port });
        for (const [index, { command, output }] of lesson.entries())
          if (output !== undefined)
            expect.soft(normalised(outputs[index] ?? ''), command).toBe(normalised(output));
        const seconds = ((performance.now() - began) / 1000).toFixed(1);
        process.stdout.write(`${page.name}: ${lesson.length} blocks run in ${seconds} s\n`);
      },
      300_000,
    );
  });
});

describe('both languages', () => {
  const [english = [], chinese = []] = languages.map(([, pages]) => pages);

  it('both languages of the tutorial have the same pages', () => {
    expect(chinese.map(({ name }) => name.replace('.zh-CN', ''))).toEqual(english.map(({ name }) => name));
  });

  it.each(chinese)('$name has the shape and the code of the page that it translates', (page) => {
    const original = english.find(({ name }) => name === page.name.replace('.zh-CN', ''));
    if (original === undefined) throw new Error(`${page.name} translates no page`);
    expect(shapeOf(page)).toEqual(shapeOf(original));
    expect(codeOf(page)).toEqual(codeOf(original));
  });
});
