import { spawnSync } from 'node:child_process';
import { access, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createPostgresDatabase, dropPostgresDatabase, runOnPostgres } from '../support/postgres.ts';
import { testsAll } from '../support/tiers.ts';
import { runInBash } from '../tour/bash.ts';
import { type Block, normalised, stepsOf } from '../tour/blocks.ts';
import { root } from '../tour/service.ts';
import { runSteps } from './bash.ts';
import {
  type Guide,
  guides,
  isAboutExample,
  isPlayed,
  originalOf,
  pagesIn,
  readersEnvironment,
  runAs,
  shapeOf,
  subjects,
  withoutLanguage,
} from './pages.ts';
import { unportableIn } from './portable.ts';
import { misquoted, quotedFile } from './quotes.ts';
import { createWorkshop, type Workshop } from './workshop.ts';

/** Languages of blocks: run here, compiled here, shown as output, or run by signing.test.ts and python.test.ts. */
const languages = new Set(['bash', 'ts', 'text', 'json', 'js', 'python', 'go', 'java', 'php']);

/** Pages with commands for Docker or a cluster, which are not here (tests/checks/documented.test.ts reads them). */
const forContainers = /^(?:docker|kubernetes)\./;

/** Blocks of a page that are files of its own: what it quotes of its example is there. */
const ownBlocks = async (guide: Guide): Promise<readonly Block[]> => {
  const code = guide.blocks.filter(({ language }) => language === 'ts');
  const { place } = guide;
  if (place === undefined || !isAboutExample(guide)) return code;
  const quoted = await Promise.all(code.map((block) => quotedFile(place, block)));
  return code.filter((_, index) => quoted[index] === undefined);
};

/** Files of a page: the files that its blocks name, and a module of its own for every other one. */
const filesOf = async (guide: Guide): Promise<Readonly<Record<string, string>>> => {
  const blocks = await ownBlocks(guide);
  const unnamed = guide.name.replace('.md', '');
  return Object.fromEntries(blocks.map(({ file, text }, index) => [file ?? `${unnamed}-${index}.ts`, text]));
};

/** The files that the page has a reader write: an empty folder gets everything by commands. */
const namedFilesOf = async (guide: Guide): Promise<Readonly<Record<string, string>>> => {
  if (guide.place === 'empty') return {};
  const blocks = await ownBlocks(guide);
  return Object.fromEntries(blocks.flatMap(({ file, text }) => (file === undefined ? [] : [[file, text]])));
};

/** The tables of the other program that a page about leaving it is about; none for every other page. */
const tablesOfOther = async ({ name }: Guide): Promise<string> => {
  const program = /^leaving-(\w+)\./.exec(name)?.[1];
  return program === undefined ? '' : readFile(join(root, 'tests/fixtures/adopt', `${program}.sql`), 'utf8');
};

/** A database for the guides whose box asks the reader for one: empty, or with these tables. */
const withPostgres = async (tables: string, work: (url: string) => Promise<void>): Promise<void> => {
  const server = await (await fetch(inject('postgresBroker'))).text();
  const url = await createPostgresDatabase(server);
  try {
    if (tables !== '') await runOnPostgres(url, tables);
    await work(url);
  } finally {
    await dropPostgresDatabase(server, url);
  }
};

/** True if a page uses the client of PostgreSQL, and it is not installed here. */
const lacksTool = ({ box }: Guide): boolean =>
  box?.tools.includes('`psql`') === true && spawnSync('psql', ['--version']).status !== 0;

let workshop: Workshop;
beforeAll(async () => {
  workshop = await createWorkshop();
}, 180_000);
afterAll(() => workshop?.remove());

/**
 * Plays a page in a folder as a reader would: the reset that its box prints, its files, its blocks. Compares every
 * output with the one that it shows.
 */
const play = async (guide: Guide, directory: string): Promise<void> => {
  const started = performance.now();
  const reset = guide.box?.reset;
  if (reset !== undefined) await runInBash([reset], { directory, environment: readersEnvironment() });
  await workshop.write(directory, await namedFilesOf(guide));
  const steps = stepsOf(guide.blocks);
  let outputs: readonly string[] = [];
  const run = async (variables: NodeJS.ProcessEnv = {}): Promise<void> => {
    // The quick start begins with npm, and shows that npx finds the command.
    const usesNpm = guide.place === 'empty';
    outputs = await runSteps(steps, directory, { ...readersEnvironment(), ...variables }, { usesNpm });
  };
  const variable = ['POSTGRES_URL', 'DATABASE_URL'].find((name) =>
    guide.box?.variables.includes(`\`${name}\``),
  );
  if (variable === undefined) await run();
  else await withPostgres(await tablesOfOther(guide), (url) => run({ [variable]: url }));
  for (const [index, { command, output }] of steps.entries())
    if (output !== undefined)
      expect.soft(normalised(outputs[index] ?? ''), `${guide.name}: ${command}`).toBe(normalised(output));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${guide.name}: ${steps.length} blocks run in ${seconds} s\n`);
};

/** Compiles the code of a page in the folder where it was played, and leaves the folder as it was. */
const compile = async (guide: Guide, directory: string): Promise<void> => {
  // The files of all pages about an example are compiled at once, beside each other.
  if (guide.place === 'empty' || isAboutExample(guide)) return;
  const files = await filesOf(guide);
  await workshop.write(directory, files);
  if (Object.keys(files).length > 0) expect(workshop.compile(directory)).toBe('');
  const named = await namedFilesOf(guide);
  for (const file of Object.keys(files)) if (!(file in named)) await rm(join(directory, file));
};

/** Examples in whose folder several pages run. */
const shared = ['clinic', 'newsroom', 'shop'];

/** A fresh folder in which a page is played. */
const freshFolder = ({ place }: Guide, name: string): Promise<string> =>
  place === undefined || place === 'empty' ? workshop.folder(name) : workshop.copy(place, name);

describe.each(guides)('$name', (guide) => {
  const folderName = guide.name.replace('.md', '');
  const steps = stepsOf(guide.blocks);

  // A page that only explains runs no commands.
  it.runIf(steps.length > 0)('begins with a box: folder and reset', () => {
    expect(guide.box).toBeDefined();
    expect(guide.place, 'where its commands run').toBeDefined();
  });

  it('the page has no block that is neither run nor compiled', () => {
    for (const { language, text } of guide.blocks)
      if (!(language === 'sh' && forContainers.test(guide.name))) expect(languages, text).toContain(language);
    for (const { text } of guide.blocks.filter(({ language }) => language === 'json'))
      expect(() => JSON.parse(text), text).not.toThrow();
  });

  it('needs no newer curl, GNU tools or Node, and waits for nothing without a limit', () => {
    const commands = [...steps.map(({ command }) => command), guide.box?.reset ?? ''];
    expect(commands.flatMap(unportableIn)).toEqual([]);
  });

  it('leads to files that exist', async () => {
    const targets = [...guide.text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, target = '']) => target);
    for (const target of targets.filter((one) => !one.includes('://')))
      await expect(access(join(root, 'docs/guide', target)), target).resolves.toBeUndefined();
  });

  const original = originalOf(guide);
  if (original !== undefined)
    it('the translation has the shape of its page', () => {
      expect(shapeOf(guide)).toEqual(shapeOf(original));
      expect([guide.box?.place, guide.box?.reset]).toEqual([original.box?.place, original.box?.reset]);
    });

  const played = runAs(guide);
  if (played !== undefined)
    it('the translation has the blocks of its page, and shows the responses of the Chinese service', () => {
      const blocks = ({ blocks: all }: Guide): readonly Block[] =>
        all.filter(({ language }) => language !== 'text' || steps.length > 0).map(withoutLanguage);
      expect(blocks(guide)).toEqual(blocks(played));
      expect(guide.blocks.filter(({ text }) => text.includes('LOCALE=en'))).toEqual([]);
    });
  if (!isPlayed(guide)) return;

  // Pages that share the folder of an example run there, below.
  if (shared.includes(guide.place ?? '')) return;
  it.skipIf(lacksTool(guide))(
    'runs as it is written, with the output that it shows, and compiles',
    async () => {
      const directory = await freshFolder(guide, folderName);
      if (steps.length > 0) await play(guide, directory);
      await compile(guide, directory);
    },
    300_000,
  );
});

describe('a block that many readers cannot run', () => {
  it.each([
    'curl -sS $URL/api/v1/orders -H "$ADMIN" --json "{}"',
    'curl -sS $URL \\\n  --url-query a=b',
    "sed -i 's/a/b/' file",
    "sed -E -i.bak 's/a/b/' file",
    "echo x | grep -o 'a\\|b'",
    "grep -oP '\\d' file",
    'date -d yesterday',
    'stat -c %s file',
    'node receiver.ts &',
    'until test -f file; do sleep 0.1; done',
    'timeout 5 cat',
  ])('a block that many readers cannot run is noticed: %s', (block) => {
    expect(unportableIn(block)).toHaveLength(1);
  });

  it.each([
    'npx gatewright audit --json | sed "s/a/b/"',
    "npx gatewright key create --json \\\n  | sed 's/a/b/'",
    'npx node receiver.ts',
    'TIMESTAMP=$(date +%s)',
    'for _ in $(seq 300); do sleep 0.1; done',
  ])('a block that many readers cannot run is another one than %s', (block) => {
    expect(unportableIn(block)).toEqual([]);
  });
});

/**
 * Pages of an example share its folder in a checkout; between two of them only the printed resets are run. From the last
 * to the first, no page finds what an earlier one has left; the long tier plays them in reading order, too.
 */
const orders = testsAll ? ['from the last to the first', 'in reading order'] : ['from the last to the first'];

describe.each(shared)('the pages in the folder of the %s', (example) => {
  describe.each(orders)('run one after the other, %s', (order) => {
    const pages = order === 'in reading order' ? pagesIn(example) : pagesIn(example).toReversed();
    let directory: string;
    beforeAll(async () => {
      directory = await workshop.copy(example, `${example} ${order}`.replaceAll(' ', '-'));
    });

    it.each(pages)(
      '$name runs as it is written, with the output that it shows, and compiles',
      async (page) => {
        await play(page, directory);
        await compile(page, directory);
        const reset = /^Run the reset again\b/m.test(page.text) ? page.box?.reset : undefined;
        if (reset !== undefined) await runInBash([reset], { directory, environment: readersEnvironment() });
      },
      300_000,
    );

    it('the pages of the folder are many', () =>
      expect(pages.length).toBeGreaterThan(example === 'clinic' ? 1 : 8));
  });
});

it('every example in whose folder several pages run is one of these', () => {
  const places = Map.groupBy(
    guides.filter((guide) => isPlayed(guide) && guide.place !== 'empty'),
    ({ place }) => place,
  );
  const found = [...places].flatMap(([place, pages]) =>
    place !== undefined && pages.length > 1 ? [place] : [],
  );
  expect(found.sort()).toEqual(shared);
});

describe.each(subjects)('pages about the example %s', (example) => {
  const pages = guides.filter((guide) => guide.place === example && runAs(guide) === undefined);

  it('pages about an example quote its files as they are', async () => {
    for (const block of pages.flatMap(({ blocks }) => blocks)) {
      const source = await quotedFile(example, block);
      if (source !== undefined) expect(misquoted(block, source), block.file).toEqual([]);
    }
  });

  it('a block says whether it is a whole file, which a reader writes, or a part of one', async () => {
    for (const block of pages.flatMap(({ blocks }) => blocks)) {
      const source = await quotedFile(example, block);
      const isPart = source !== undefined && block.text.slice(block.text.indexOf('\n') + 1) !== source;
      expect(block.isExcerpt, block.file).toBe(isPart);
    }
  });

  it('pages about the example %s have files that compile in it', async () => {
    const directory = await workshop.copy(example, example);
    const files = await Promise.all(pages.map(filesOf));
    const names = files.flatMap(Object.keys);
    expect(new Set(names).size, 'each name once').toBe(names.length);
    await workshop.write(directory, Object.assign({}, ...files));
    expect(workshop.compile(directory)).toBe('');
  });
});
