import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sections } from '../../docs/.vitepress/pages.ts';
import { testsAll } from '../support/tiers.ts';
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
export const subjects: readonly string[] = ['clinic', 'shop', 'teams'];

/** Guides in the order of the site, which is that of reading. */
const readingOrder: readonly string[] = sections
  .flatMap(({ pages }) => pages)
  .flatMap((page) => /^docs\/guide\/(.+)$/.exec(page)?.[1] ?? []);

/** The place of a page in reading order, a translation behind its original. */
const placeOf = ({ name, isChinese }: Guide): number =>
  readingOrder.indexOf(name.replace('.zh-CN', '')) + (isChinese ? 0.5 : 0);

/** Pages that are played in the folder of an example, in reading order. */
export const pagesIn = (example: string): readonly Guide[] =>
  guides
    .filter((guide) => guide.place === example && isPlayed(guide))
    .sort((one, other) => placeOf(one) - placeOf(other));

/** True if a page is about one of them. */
export const isAboutExample = ({ place }: Guide): boolean => place !== undefined && subjects.includes(place);

/** Pages with responses in the language of the page: both languages are run. */
const runInBoth = new Set(['quick-start.zh-CN.md']);

/** The English page of which a Chinese page is the translation; undefined for English pages. */
export const originalOf = (guide: Guide): Guide | undefined =>
  guide.isChinese ? guides.find((each) => each.name === guide.name.replace('.zh-CN', '')) : undefined;

/** The English page whose blocks a Chinese page has in its own language; undefined for pages with blocks of their own. */
export const runAs = (guide: Guide): Guide | undefined =>
  runInBoth.has(guide.name) ? undefined : originalOf(guide);

/** True for pages whose blocks are run: a translation with the blocks of its page is run in the long tier. */
export const isPlayed = (guide: Guide): boolean => testsAll || runAs(guide) === undefined;

/**
 * A block without what depends on the language of the service: `LOCALE`, which only English pages set, messages, and other
 * texts for people in a response. The long tier compares these with what the service returns.
 */
export const withoutLanguage = (block: Block): Block => ({
  ...block,
  text: block.text
    .replaceAll(/\bLOCALE=en(?: |\n)/g, '')
    .replaceAll(/"message": ?"[^"]*"/g, '"message":"…"')
    .replaceAll(/"(?:[^"\\\n]| )*(?:\p{Script=Han}|[a-z] [a-z])(?:[^"\\\n]| )*"/gu, '"…"')
    .replaceAll(/^(\d{5}) .*$/gm, '$1'),
});

/** Lines that are no text of a language: titles by their level, rows of tables, code. */
export const shapeOf = ({ text }: Pick<Guide, 'text'>): readonly string[] =>
  text
    .replaceAll(/^```.*?^```$/gms, '```')
    .split('\n')
    .flatMap((line) => /^(#+|\||```|- )/.exec(line)?.[0] ?? []);

/** Variables of the developer's shell must not reach a guide. */
export const readersEnvironment = (): NodeJS.ProcessEnv => {
  const { PATH, HOME, LANG, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return Object.fromEntries(
    Object.entries({
      PATH,
      HOME,
      LANG,
      TMPDIR,
      NODE_COMPILE_CACHE,
      npm_config_update_notifier: 'false',
      npm_config_loglevel: 'error',
    }).filter(([, value]) => value !== undefined),
  );
};
