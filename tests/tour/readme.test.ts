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
const configuration = await read('docs/reference/configuration.zh-CN.md');

describe.each([
  ['README.md', english, 'npm ci\nLOCALE=en npm start\n'],
  ['README.zh-CN.md', chinese, 'npm ci\nnpm start\n'],
])('the first steps of %s', (_name, text, command) => {
  const [start, ...steps] = stepsOf(blocksOf(text));
  let service: StartedService;
  let outputs: readonly string[];

  beforeAll(async () => {
    await ensureBuilt();
    // The packages are installed already; the rest of the block runs as printed.
    service = await startByCommand((start?.command ?? '').replace('npm ci\n', ''));
    const environment = { ...service.environment, URL: /http:\S+/.exec(service.greeting)?.[0] };
    outputs = await runInBash(
      steps.map((step) => step.command),
      { directory: root, environment },
    );
  }, 120_000);

  afterAll(() => service?.stop());

  it('the first steps begin with two commands that greet as shown', () => {
    expect(start?.command).toBe(command);
    expect(normalised(service.greeting)).toBe(normalised(start?.output ?? ''));
  });

  it('the first steps print what is shown', () => {
    expect(outputs.map(normalised)).toEqual(steps.map(({ output }) => normalised(output ?? '')));
  });
});

describe('both README files', () => {
  it('both README files show the same model', () => {
    const modelOf = (text: string) =>
      blocksOf(text).flatMap(({ language, text: code }) =>
        language === 'ts' ? [code.replaceAll(/ \/\/ .*$/gm, '')] : [],
      );
    expect(modelOf(chinese)).toEqual(modelOf(english));
  });

  it('both README files have the same sections', () => {
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

  it('both README files lead to the same pages and pictures, in Chinese where there is one', () => {
    expect(linksOf(english).length).toBeGreaterThan(9);
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
});

describe('the Chinese page of the configuration', () => {
  it('lists every variable with its default, as the English one does', () => {
    const translated = tableUnder(configuration, /^\| 变量 /);
    expect(translated.map(([name, fallback]) => [name, fallback])).toEqual(
      variables.map(({ name, fallback }) => [`\`${name}\``, fallback === '' ? '' : `\`${fallback}\``]),
    );
    for (const [name, , meaning] of translated) expect(meaning, name).toMatch(/\p{Script=Han}/u);
  });
});
