import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { app as firstTexts } from '../../admin/src/texts/zh-CN/first.ts';
import { app as pageTexts } from '../../admin/src/texts/zh-CN/pages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(`${root}${file}`, 'utf8');

const tracked = (...where: string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...where], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '');

const han = '\\p{Script=Han}';
const hasHan = /\p{Script=Han}/u;
const fullWidth = '[，。；：！？、（）“”]';

/** Chinese, or a sign that only stands in Chinese. */
const inner = `${han}，。；：！？、`;

/** The texts that break a rule of docs/contributing/glossary.md, by the name of the rule. */
const rules: Readonly<Record<string, RegExp>> = {
  'a space between Chinese and Latin': new RegExp(`${han}[A-Za-z0-9]|[A-Za-z0-9]${han}`, 'u'),
  'full-width punctuation': new RegExp(`${han}\\s*[,;:!?](?![/\\w])|[,;:!?]\\s*${han}`, 'u'),
  'full-width parentheses': new RegExp(`[${inner}] *\\(|\\) *[${inner}]|\\( *${han}|${han} *\\)`, 'u'),
  'an ellipsis is one sign': /\.\.\./u,
  'quotation marks “ ”': new RegExp(`[「」『』]|"${han}|${han}"`, 'u'),
  'no space beside full-width punctuation': new RegExp(`[^\\s|] ${fullWidth}|${fullWidth} [^\\s|]`, 'u'),
  您: /你/u,
};

/** Code within a text stands for a Latin word. */
const withoutCode = (text: string): string => text.replace(/`[^`\n]+`/g, 'X');

const sentences = (file: string): string[] =>
  withoutCode(
    read(file)
      .replace(/```[\s\S]*?```/g, '')
      .replace(/<!--[\s\S]*?-->/g, '')
      // An image may be within a link.
      .replace(/!?\[([^[\]]*)\]\([^)]*\)/g, '$1')
      .replace(/!?\[([^[\]]*)\](?:\([^)]*\))?/g, '$1'),
  ).split('\n');

/** The string literals of a source file; what is put into a template stands for itself. */
const literals = (file: string): string[] =>
  [...read(file).matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)].map(([, single, template]) =>
    withoutCode((single ?? template ?? '').replaceAll('\\`', '`'))
      .replace(/\$\{[^{}]*\}|\\n/g, '\0')
      // A text of a page has links.
      .replace(/\[([^[\]]*)\]\([^)]*\)/g, '$1'),
  );

const guides = tracked('*zh-CN.md');
const sources = tracked('src', 'admin', 'docs-page', 'account-pages', 'examples', 'client').filter(
  (file) => /\.(?:ts|tsx|js)$/.test(file) && !file.endsWith('.test.ts'),
);

const texts = [
  ...guides.flatMap((file) => sentences(file).map((text) => ({ file, text }))),
  ...sources.flatMap((file) => literals(file).map((text) => ({ file, text }))),
].filter(({ text }) => hasHan.test(text));

const breaking = (rule: RegExp, among = texts): string[] =>
  among.filter(({ text }) => rule.test(text)).map(({ file, text }) => `${file}: ${text.trim()}`);

/** Words of others, by which the local search finds a page. */
const searched = /^相关说法：/;

/** The words that the glossary rules out, each with the right one. */
const unwanted = read('docs/contributing/glossary.md')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, english = '', , not = '']) => hasHan.test(not) && english !== '')
  .flatMap(([, , chinese = '', not = '']) => not.split('、').map((word) => [word, chinese] as const));

/** Every text of the administration pages, by its key. */
const keyed = (texts: Readonly<Record<string, unknown>>, path = ''): readonly (readonly [string, string])[] =>
  Object.entries(texts).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [[path + name, value] as const]
      : keyed(value as Readonly<Record<string, unknown>>, `${path}${name}.`),
  );

/** Keys whose Chinese ends in a sign that takes no blank behind it, where the page puts one. */
const blankBehind = (source: string): readonly string[] => {
  const closed = new Set(
    [...keyed(firstTexts), ...keyed(pageTexts)].flatMap(([key, value]) =>
      /[，。：；！？、）”]$/u.test(value) ? [key] : [],
    ),
  );
  return [...source.matchAll(/(?<!=)\{text\('([\w.]+)'(?:, [^()]*)?\)\}(?:\{' '\}| \S)/g)].flatMap(
    ([found, key = '']) => (closed.has(key) ? [found] : []),
  );
};

/** The levels of a page's headings, in order. */
const levelsOf = (page: string): readonly string[] =>
  [
    ...read(page)
      .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
      .matchAll(/^(#+) /gm),
  ].map(([, level = '']) => level);

/** The code in the first cell of each row of a page's tables, in order: names of options, fields, metrics, codes. */
const namesIn = (page: string): readonly string[] =>
  [
    ...read(page)
      .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
      .matchAll(/^\| ?([^|]*)\|/gm),
  ].flatMap(([, cell = '']) => cell.match(/`[^`]+`|^\[?\d{5}/g) ?? []);

describe('Chinese texts', () => {
  it.each(Object.entries(rules))('Chinese texts keep to the rules of typography: %s', (_name, rule) => {
    expect(texts.length).toBeGreaterThan(1_500);
    expect(breaking(rule)).toEqual([]);
  });

  it.each(unwanted)('Chinese texts never say %s, but %s', (word) => {
    expect(unwanted.length).toBeGreaterThan(15);
    const said = texts.filter(({ text }) => !searched.test(text));
    expect(breaking(new RegExp(word, 'u'), said)).toEqual([]);
  });

  it('Chinese texts have no blank behind full-width punctuation where a page goes on', () => {
    const pages = sources.filter((file) => file.endsWith('.tsx'));
    expect(pages.length).toBeGreaterThan(100);
    expect(blankBehind("{text('ungranted.where')} <Link />")).toHaveLength(1);
    expect(pages.flatMap((file) => blankBehind(read(file)).map((found) => `${file}: ${found}`))).toEqual([]);
  });

  it.each(guides)('leads from %s to Chinese pages, and says of others that they are English', (guide) => {
    const links = [...read(guide).matchAll(/\]\((?!https?:)([^)#]+\.md)[^)]*\)(（英文）|，英文）)?/g)];
    const wrong = links.filter(([, target = '', said]) => {
      const page = normalize(join(dirname(guide), target));
      if (page.endsWith('.zh-CN.md')) return said !== undefined;
      // The other language of this page; the examples speak for themselves.
      if (page === guide.replace('.zh-CN', '') || page.startsWith('examples/')) return false;
      return said === undefined || existsSync(`${root}${page.replace(/\.md$/, '.zh-CN.md')}`);
    });
    expect(guides.length).toBeGreaterThan(10);
    expect(wrong.map(([link]) => link)).toEqual([]);
  });

  it.each(guides.filter((guide) => !guide.startsWith('docs/.vitepress')))(
    'a translation has the sections of its page: %s',
    (guide) => {
      const original = guide.replace('.zh-CN', '');
      expect(levelsOf(guide)).toEqual(levelsOf(original));
      expect(levelsOf(original)[0]).toBe('#');
    },
  );

  it.each(guides.filter((guide) => guide.startsWith('docs/reference/')))(
    'a translated reference has the rows of its page: %s',
    (guide) => {
      expect(namesIn(guide)).toEqual(namesIn(guide.replace('.zh-CN', '')));
    },
  );

  it('these rules find a planted fault each in Chinese texts', () => {
    const wrong = ['JWT令牌', '好,坏', '应用 (签名)', '正在导出......', '「密钥」', '密钥， 令牌', '你好'];
    expect(
      Object.values(rules).map((rule, at) => breaking(rule, [{ file: '', text: wrong[at] ?? '' }]).length),
    ).toEqual(wrong.map(() => 1));
  });
});
