import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Block } from '../tour/blocks.ts';
import { root } from '../tour/service.ts';

/** The text that an example has under the name of a block; undefined when the block is a file of the page's own. */
export const quotedFile = async (example: string, { language, file }: Block): Promise<string | undefined> => {
  if (language !== 'ts' || file === undefined) return undefined;
  return readFile(join(root, 'examples', example, file), 'utf8').catch(() => undefined);
};

/** Stands in a block for lines that are left out. */
const gap = /^ *\/\/ …\n/m;

/** The parts of a block, without the name of the file, that do not stand in the file in this order. */
export const misquoted = (block: Block, source: string): readonly string[] => {
  let from = 0;
  return block.text
    .slice(block.text.indexOf('\n') + 1)
    .split(gap)
    .filter((part) => {
      const at = source.indexOf(part, from);
      from = at < 0 ? from : at + part.length;
      return at < 0;
    });
};
