/** The documents for machines: `docs/llms.txt`, a line for each page, and `docs/llms-full.txt`, the reference in one file. */

import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { sections } from '../docs/.vitepress/pages.ts';

const root = new URL('../', import.meta.url);

const read = (page: string): string => readFileSync(new URL(page, root), 'utf8');

/** Sections of the site whose pages are not in the package. */
const notShipped = new Set(['Decisions', 'Contributing']);

/** Pages of the whole reference, in the order in which an application needs them. */
const fullPages = [
  'docs/guide/modelling.md',
  ...[
    ...['resource', 'fields', 'conditions', 'relations', 'scope', 'endpoints', 'jobs', 'migrations'],
    ...['configuration', 'testing', 'command-line', 'errors'],
  ].map((name) => `docs/reference/${name}.md`),
];

/** A target of a link of a page, from `docs`. */
const fromDocs = (page: string, target: string): string =>
  /^[a-z]+:/.test(target)
    ? target
    : target.startsWith('#')
      ? posix.relative('docs', page) + target
      : posix.relative('docs', posix.join(posix.dirname(page), target));

const fenced = /(^ *```.*?^ *```$|`[^`\n]+`)/gms;

/** A page as part of a file in `docs`: without comments and the link to its translation. */
const rooted = (page: string): string =>
  read(page)
    .replace(/^\[(?:简体中文|English)\]\([^)]*\)\n+/m, '')
    .split(fenced)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part
            .replaceAll(/<!--.*?-->\n*/gs, '')
            .replaceAll(/\]\(([^)\s]+)\)/g, (_, target: string) => `](${fromDocs(page, target)})`),
    )
    .join('')
    .trim();

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? '';

/** A sentence of a paragraph; what ends a sentence in code ends none here. */
const sentence = /(?:`[^`]*`|[^`.!?。]|[.!?](?! |$))+(?:[.!?](?: |$)|。|$)/g;

/** Characters after which the description of a page gets no further sentence: Chinese needs half of them. */
const lineLength = { en: 60, zh: 25 } as const;

/** The end of a line within Chinese, which is no blank. */
const chineseBreak = /(?<=[，。；：、）”])\n(?!\n)|(?<=\p{Script=Han})\n(?=\p{Script=Han})/gu;

/** The first sentences of a page, without links and images. @throws Error for a page that begins without a sentence */
export const leadOf = (page: string): string => {
  const length = lineLength[page.endsWith('.zh-CN.md') ? 'zh' : 'en'];
  const paragraphs = rooted(page)
    .replace(/^# .*$/m, '')
    .replaceAll(chineseBreak, '')
    .split(/\n\s*\n/)
    .map((each) => each.replaceAll(/\s+/g, ' ').trim());
  const first = paragraphs.find((each) => each !== '' && !/^(?:#|\||```|- |> |!\[|\[!|<)/.test(each));
  if (first === undefined) throw new Error(`${page} begins without a sentence`);
  const words = first.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('**', '');
  const sentences = words.match(sentence) ?? [words];
  const enough = sentences.findIndex((_, at) => sentences.slice(0, at + 1).join('').length >= length);
  return sentences
    .slice(0, enough === -1 ? sentences.length : enough + 1)
    .join('')
    .trim();
};

const indexFile = (): string => {
  const shipped = sections.filter(({ title }) => !notShipped.has(title.en));
  const lists = shipped.map(({ title, pages }) => {
    const lines = pages
      .filter((page) => !page.startsWith('examples/'))
      .map((page) => `- [${titleOf(read(page))}](${posix.relative('docs', page)}): ${leadOf(page)}`);
    return `## ${title.en}\n\n${lines.join('\n')}`;
  });
  return [
    '# Gatewright',
    '> Model files become an authenticated, documented, administrable JSON API with TypeScript, on SQLite or PostgreSQL.',
    'An application has these pages in `node_modules/gatewright/docs`; the Chinese translation of a page ends with `.zh-CN.md`. [llms-full.txt](llms-full.txt) is the reference in one file. `npx gatewright options --json` prints every option as JSON Schema.',
    ...lists,
  ].join('\n\n');
};

const fullFile = (): string =>
  [
    'Gatewright: models, options, fields, conditions, relations, scope, endpoints, jobs, migrations, configuration, testing, commands and errors. The index of all pages is llms.txt beside this file.',
    ...fullPages.map((page) => `Source: ${posix.relative('docs', page)}\n\n${rooted(page)}`),
  ].join('\n\n---\n\n');

/** Files of `docs` for machines by their names, made of the pages as they are. */
export const llmsFiles = (): ReadonlyMap<string, string> =>
  new Map([
    ['llms.txt', `${indexFile()}\n`],
    ['llms-full.txt', `${fullFile()}\n`],
  ]);
