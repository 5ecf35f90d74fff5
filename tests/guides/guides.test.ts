import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createPostgresDatabase, dropPostgresDatabase } from '../support/postgres.ts';
import { type Block, normalised, stepsOf } from '../tour/blocks.ts';
import { root } from '../tour/service.ts';
import { runSteps } from './bash.ts';
import { type Guide, guides, isAboutExample, originalOf, shapeOf, subjects } from './pages.ts';
import { misquoted, quotedFile } from './quotes.ts';
import { createWorkshop, type Workshop } from './workshop.ts';

/** Languages of blocks: run here, compiled here, shown as output, or run by signing.test.ts. */
const languages = new Set(['bash', 'ts', 'text', 'json', 'js', 'python', 'go', 'java', 'php']);

/** Variables of the developer's shell must not reach a guide. */
const environment = (): NodeJS.ProcessEnv => {
  const { PATH, HOME, LANG, TMPDIR } = process.env;
  return Object.fromEntries(
    Object.entries({
      PATH,
      HOME,
      LANG,
      TMPDIR,
      npm_config_update_notifier: 'false',
      npm_config_loglevel: 'error',
    }).filter(([, value]) => value !== undefined),
  );
};

/** Blocks of a page that are files of its own: what it quotes of its example is there. */
const ownBlocks = async (guide: Guide): Promise<readonly Block[]> => {
  const code = guide.blocks.filter(({ language }) => language === 'ts');
  const { place } = guide;
  if (place === undefined || !isAboutExample(guide)) return code;
  const quoted = await Promise.all(code.map((block) => quotedFile(place, block)));
  return code.filter((_, index) => quoted[index] === undefined);
};

/** Files of a page: those that its blocks name, and a module of its own for every other one. */
const filesOf = async (guide: Guide): Promise<Readonly<Record<string, string>>> => {
  const blocks = await ownBlocks(guide);
  const unnamed = guide.name.replace('.md', '');
  return Object.fromEntries(blocks.map(({ file, text }, index) => [file ?? `${unnamed}-${index}.ts`, text]));
};

const examples: Readonly<Record<string, string>> = {
  newsroom: 'newsroom',
  example: 'newsroom',
  ...Object.fromEntries(subjects.map((name) => [name, name])),
};

const startNewsroom = { command: 'npx gatewright start\n', note: 'background', output: undefined };

/** An empty database for the guides that use one. */
const withPostgres = async (work: (url: string) => Promise<void>): Promise<void> => {
  const server = await (await fetch(inject('postgresBroker'))).text();
  const url = await createPostgresDatabase(server);
  try {
    await work(url);
  } finally {
    await dropPostgresDatabase(server, url);
  }
};

let workshop: Workshop;
beforeAll(async () => {
  workshop = await createWorkshop();
}, 180_000);
afterAll(() => workshop?.remove());

describe.each(guides)('$name', (guide) => {
  const folderName = guide.name.replace('.md', '');
  const steps = stepsOf(guide.blocks);

  it('has no block that is neither run nor compiled', () => {
    for (const { language, text } of guide.blocks) expect(languages, text).toContain(language);
    if (steps.length > 0) expect(guide.place, 'where its commands run').toBeDefined();
    for (const { text } of guide.blocks.filter(({ language }) => language === 'json'))
      expect(() => JSON.parse(text), text).not.toThrow();
  });

  it('leads to files that exist', async () => {
    const targets = [...guide.text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, target = '']) => target);
    for (const target of targets.filter((one) => !one.includes('://')))
      await expect(access(join(root, 'docs/guide', target)), target).resolves.toBeUndefined();
  });

  const original = originalOf(guide);
  if (original !== undefined) {
    it('has the blocks and the shape of the page that it translates, which are run there', () => {
      expect(guide.blocks).toEqual(original.blocks);
      expect(shapeOf(guide)).toEqual(shapeOf(original));
    });
    return;
  }

  it('runs as it is written, with the output that it shows, and compiles', async () => {
    const example = guide.place && examples[guide.place];
    const directory = await (example ? workshop.copy(example, folderName) : workshop.folder(folderName));
    // In an empty folder everything comes of the commands.
    const files = guide.place === 'empty' ? {} : await filesOf(guide);
    await workshop.folder(folderName, files);
    const all = guide.place === 'newsroom' ? [startNewsroom, ...steps] : steps;
    const started = performance.now();
    let outputs: readonly string[] = [];
    const runAll = async (variables: NodeJS.ProcessEnv = {}): Promise<void> => {
      // The quick start begins with npm, and shows that npx finds the command.
      const usesNpm = guide.place === 'empty';
      outputs = await runSteps(all, directory, { ...environment(), ...variables }, { usesNpm });
    };
    if (guide.text.includes('POSTGRES_URL')) await withPostgres((POSTGRES_URL) => runAll({ POSTGRES_URL }));
    else await runAll();
    for (const [index, { command, output }] of all.entries())
      if (output !== undefined)
        expect.soft(normalised(outputs[index] ?? ''), command).toBe(normalised(output));
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(`${guide.name}: ${all.length} blocks run in ${seconds} s\n`);
    // The files of all pages about an example are compiled at once, beside each other.
    if (!isAboutExample(guide) && Object.keys(files).length > 0) expect(workshop.compile(directory)).toBe('');
  }, 300_000);
});

describe.each(subjects)('pages about the example %s', (example) => {
  const pages = guides.filter((guide) => guide.place === example && originalOf(guide) === undefined);

  it('quote its files as they are', async () => {
    for (const block of pages.flatMap(({ blocks }) => blocks)) {
      const source = await quotedFile(example, block);
      if (source !== undefined) expect(misquoted(block, source), block.file).toEqual([]);
    }
  });

  it('have files that compile in it', async () => {
    const directory = await workshop.copy(example, example);
    const files = await Promise.all(pages.map(filesOf));
    const names = files.flatMap(Object.keys);
    expect(new Set(names).size, 'each name once').toBe(names.length);
    await workshop.folder(example, Object.assign({}, ...files));
    expect(workshop.compile(directory)).toBe('');
  });
});
