import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../tour/service.ts';

/** A fenced block of a guide. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** What a comment in the line above, which readers do not see, says to the test: `<!-- test: background -->`. */
  readonly note: string | undefined;
  /** Name of the file, where the first line is a comment with nothing but it. */
  readonly file: string | undefined;
}

export interface Guide {
  readonly name: string;
  readonly text: string;
  /** Where its commands run: `newsroom` is the example with its service running, `example` without, `empty` nothing. */
  readonly place: string | undefined;
  readonly blocks: readonly Block[];
}

const fence = /(?:^<!-- test: ([^\n]*) -->\n\n?)?^```(\w*)\n(.*?)^```$/gms;

const blocksOf = (markdown: string): readonly Block[] =>
  [...markdown.matchAll(fence)].map(([, note, language = '', text = '']) => ({
    language,
    text,
    note,
    file: /^(?:\/\/|#) ([\w./-]+\.\w+)\n/.exec(text)?.[1],
  }));

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
