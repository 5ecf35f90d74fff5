import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Block, blocksOf } from '../tour/blocks.ts';
import { root } from '../tour/service.ts';
import { type Box, boxOf } from './box.ts';

export interface Guide {
  readonly name: string;
  readonly text: string;
  readonly isChinese: boolean;
  readonly box: Box | undefined;
  /** The example in whose folder its commands run, `empty` for an empty folder; undefined where it has none. */
  readonly place: string | undefined;
  readonly blocks: readonly Block[];
}

const folder = join(root, 'docs/guide');

/** Every page of docs/guide. */
export const guides: readonly Guide[] = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .sort()
  .map((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const isChinese = name.endsWith('.zh-CN.md');
    const box = boxOf(text, isChinese);
    return { name, text, isChinese, box, place: box?.place, blocks: blocksOf(text) };
  });

/** Examples that pages are about: these quote their files. */
export const subjects: readonly string[] = ['shop', 'teams'];

/** Pages of the shop in the order in which a reader meets them: each leads to the next. */
export const shopPages: readonly string[] = [
  ...['code.md', 'transactions.md', 'jobs.md', 'uploads.md', 'relations.md', 'reports.md', 'events.md'],
  ...['webhooks.md', 'data.md'],
];

/** Whether a page is about one of them. */
export const isAboutExample = ({ place }: Guide): boolean => place !== undefined && subjects.includes(place);

/** Pages with responses in the language of the page: both languages are run. */
const runInBoth = new Set(['quick-start.zh-CN.md', 'tour.zh-CN.md']);

/** The English page of which a Chinese page is the translation; undefined for English pages. */
export const originalOf = (guide: Guide): Guide | undefined =>
  guide.isChinese ? guides.find((each) => each.name === guide.name.replace('.zh-CN', '')) : undefined;

/** The English page whose very blocks a Chinese page has; undefined for pages that are run themselves. */
export const runAs = (guide: Guide): Guide | undefined =>
  runInBoth.has(guide.name) ? undefined : originalOf(guide);

/** Lines that are no text of a language: titles by their level, rows of tables, code. */
export const shapeOf = ({ text }: Guide): readonly string[] =>
  text
    .replaceAll(/^```.*?^```$/gms, '```')
    .split('\n')
    .flatMap((line) => /^(#+|\||```|- )/.exec(line)?.[0] ?? []);
