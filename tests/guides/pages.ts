import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Block, blocksOf } from '../tour/blocks.ts';
import { root } from '../tour/service.ts';

export interface Guide {
  readonly name: string;
  readonly text: string;
  /** Where its commands run: `newsroom` is the example with its service running, `example` without, `empty` nothing. */
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
