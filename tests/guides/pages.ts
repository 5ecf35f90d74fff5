import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Block, blocksOf } from '../tour/blocks.ts';
import { root } from '../tour/service.ts';

export interface Guide {
  readonly name: string;
  readonly text: string;
  /**
   * Where its commands run: `newsroom` is that example with its service running, `example` without, `shop` and `teams`
   * the other examples, `empty` nothing.
   */
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
    const place = /^# .*\n\n<!-- test: (\w+) -->$/m.exec(text)?.[1];
    return { name, text, place, blocks: blocksOf(text) };
  });

/** Examples that pages are about: these quote their files, and are there in both languages with the same blocks. */
export const subjects: readonly string[] = ['shop', 'teams'];

/** Whether a page is about one of them. */
export const isAboutExample = ({ place }: Guide): boolean => place !== undefined && subjects.includes(place);

/**
 * The English page of which a page is the translation, with the very same blocks; undefined for all others. A page in
 * Chinese whose blocks differ, as they show the service's answers in Chinese, runs by itself.
 */
export const originalOf = (guide: Guide): Guide | undefined => {
  if (!guide.name.endsWith('.zh-CN.md')) return undefined;
  const original = guides.find((each) => each.name === guide.name.replace('.zh-CN', ''));
  return isAboutExample(guide) || isDeepStrictEqual(guide.blocks, original?.blocks) ? original : undefined;
};

/** Lines that are no text of a language: titles by their level, rows of tables, code. */
export const shapeOf = ({ text }: Guide): readonly string[] =>
  text
    .replaceAll(/^```.*?^```$/gms, '```')
    .split('\n')
    .flatMap((line) => /^(#+|\||```|- )/.exec(line)?.[0] ?? []);
