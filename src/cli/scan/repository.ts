/** Examines each object of a git repository once, and finds the commit that brought it. */

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CommandError } from '../io.ts';
import { ended, type ForeignRepository } from './git.ts';
import type { KeySearch } from './known-keys.ts';
import { type Examined, examine } from './sources.ts';

/** Reads a stream by a number of bytes or by lines. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Uint8Array = new Uint8Array();

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done === true) return false;
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    return true;
  }

  /** A line without its end; undefined at the end of the stream. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf(0x0a);
      if (end !== -1) {
        const line = Buffer.from(this.#rest.subarray(0, end)).toString();
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      if (!(await this.#more())) return undefined;
    }
  }

  async *bytes(size: number): AsyncGenerator<Uint8Array> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) throw new CommandError('git ended too early');
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }
}

/** Texts about an object that is no file. */
const nameless: Readonly<Record<string, string>> = { commit: '(commit message)', tag: '(tag message)' };

/**
 * Examines each object of a repository once: files of all branches, tags, stashes and of commits that only the log of
 * references still names, what is in the index, and messages of commits and tags.
 */
export const examineRepository = async (
  search: KeySearch,
  examined: Examined,
  repository: ForeignRepository,
  warn: (line: string) => void,
): Promise<void> => {
  if ((await repository.output(['rev-parse', '--is-shallow-repository'])).trim() === 'true')
    warn('the repository is shallow, so only a part of its history is scanned');
  // A missing object is listed with a question mark before its name: git must not go and fetch it.
  const every = ['--all', '--reflog', '--indexed-objects', '--objects', '--missing=print'];
  const list = repository.start(['rev-list', ...every]);
  const show = repository.start(['cat-file', '--batch', '--buffer']);
  const ends = Promise.all([ended(list), ended(show)]);
  // A failure is reported once the output ends.
  ends.catch(() => {});
  list.stdin.on('error', () => {}).end();
  show.stdin.on('error', () => {});
  /** Names of the objects whose content is still to come, in order. */
  const names: string[] = [];
  const ask = async (): Promise<void> => {
    for await (const line of createInterface({ input: list.stdout, crlfDelay: Infinity })) {
      const [object = ''] = line.split(' ', 1);
      if (object.startsWith('?')) {
        examined.unread.push(`${object.slice(1)}: the object is missing`);
        continue;
      }
      names.push(line.slice(object.length + 1));
      if (!show.stdin.write(`${object}\n`)) await once(show.stdin, 'drain');
    }
    show.stdin.end();
  };
  const asking = ask();
  asking.catch(() => {});
  const reader = new ByteReader(show.stdout);
  try {
    for (let line = await reader.line(); line !== undefined; line = await reader.line()) {
      const name = names.shift() ?? '';
      const [object = '', type = '', size = ''] = line.split(' ');
      if (type === 'missing') {
        examined.unread.push(`${name || object}: the object is missing`);
        continue;
      }
      const content = reader.bytes(Number(size));
      if (type === 'tree') for await (const _ of content);
      else await examine(search, examined, { file: nameless[type] ?? name, object }, content);
      for await (const _ of reader.bytes(1));
    }
    await asking;
    await ends;
  } finally {
    for (const git of [list, show]) git.kill();
  }
};

/** The first commit with an object; undefined where only the index or a log contains it. */
export const firstCommitWith = async (
  repository: ForeignRepository,
  object: string,
): Promise<string | undefined> => {
  const words = [
    'log',
    '--all',
    '--reflog',
    '--format=%H',
    '--no-ext-diff',
    '--no-textconv',
    `--find-object=${object}`,
  ];
  return (await repository.output(words)).trim().split('\n').at(-1) || undefined;
};
