import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { variables } from '../../src/app/variables.ts';
import { runInBash } from './bash.ts';
import { blocksOf, normalised, stepsOf, tableUnder } from './blocks.ts';
import { ensureBuilt, root, type StartedService, startByCommand } from './service.ts';

const read = (file: string): Promise<string> => readFile(join(root, file), 'utf8');

const english = await read('README.md');
const chinese = await read('README.zh-CN.md');
const blocks = blocksOf(english);
const [start, ...tour] = stepsOf(blocks);

describe('the tour of README.md', () => {
  let service: StartedService;
  let outputs: readonly string[];

  beforeAll(async () => {
    await ensureBuilt();
    // The test itself relies on `npm ci`, which is not repeated; the rest of the block runs as it is written.
    service = await startByCommand((start?.command ?? '').replace('npm ci\n', ''));
    const environment = {
      ...service.environment,
      URL: /http:\S+/.exec(service.greeting)?.[0],
      PASSWORD: /with the password (\S+)/.exec(service.greeting)?.[1],
    };
    const commands = tour.map(({ command }) => command);
    outputs = await runInBash(commands, { directory: root, environment });
  }, 120_000);

  afterAll(() => service?.stop());

  it('begins with two commands that greet as shown', () => {
    expect(start?.command).toBe('npm ci\nnpm start\n');
    expect(normalised(service.greeting)).toBe(normalised(start?.output ?? ''));
  });

  it.each(tour.map((step, index) => [index + 1, step] as const))(
    'step %i answers as shown',
    (number, step) => {
      expect(normalised(outputs[number - 1] ?? ''), step.command).toBe(normalised(step.output ?? ''));
    },
  );
});

describe('both README files', () => {
  it('show the same commands, answers and code', () => {
    expect(blocksOf(chinese)).toEqual(blocks);
  });

  it('have the same sections', () => {
    const levels = (markdown: string) => markdown.match(/^#+ /gm);
    expect(levels(chinese)).toEqual(levels(english));
  });

  const proseOf = (markdown: string) => markdown.replaceAll(/^```.*?^```$/gms, '');
  const linksOf = (markdown: string) =>
    [...proseOf(markdown).matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target).slice(1);
  const translationOf = (target: string) => {
    const translated = target.replace(/\.md$/, '.zh-CN.md').replace(/-en\.webp$/, '-zh.webp');
    return existsSync(join(root, translated)) ? translated : target;
  };

  it('lead to the same pages and pictures, in Chinese where there is one', () => {
    expect(linksOf(english).length).toBeGreaterThan(30);
    expect(linksOf(chinese)).toEqual(linksOf(english).map(translationOf));
  });

  /** A section each: what is neither of one language nor of the other. */
  const contentOf = (markdown: string) =>
    proseOf(markdown)
      .split(/^#+ /m)
      .map((section) => ({
        code: (section.match(/`[^`\n]+`/g) ?? []).sort(),
        figures: (section.replaceAll(/`[^`\n]+`|\]\([^)]+\)/g, '').match(/\d+(?:[.,]\d+)*/g) ?? []).sort(),
        lines: section.match(/^(?:- |\||!\[)/gm),
      }));

  it('name the same code, figures, items and rows in each section', () => {
    expect(contentOf(chinese)).toEqual(contentOf(english));
  });

  it('show a model that is the file of the example', async () => {
    const source = await read('examples/newsroom/resources/note.ts');
    const model = blocks.find(({ language }) => language === 'ts');
    expect(model?.text).toBe(source.replace(/^\/\*\*.*\*\/\n/m, ''));
  });

  const rows = variables.map(({ name, fallback, meaning }) => [
    `\`${name}\``,
    fallback === '' ? '' : `\`${fallback}\``,
    meaning,
  ]);

  it('list every variable of the configuration with its default', () => {
    expect(tableUnder(english, /^\| variable /)).toEqual(rows);
    const translated = tableUnder(chinese, /^\| 变量 /);
    expect(translated.map(([name, fallback]) => [name, fallback])).toEqual(
      rows.map(([name, fallback]) => [name, fallback]),
    );
    for (const [name, , meaning] of translated) expect(meaning, name).toMatch(/\p{Script=Han}/u);
  });
});
