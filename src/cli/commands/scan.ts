/** `gatewright scan`: finds API keys of this service in files, folders and git repositories. */

import { errorMessage } from '../../kernel/error-message.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { CommandError, UsageError } from '../io.ts';
import { ForeignRepository } from '../scan/git.ts';
import { createKeySearch, type FoundKey, type KeySearch } from '../scan/known-keys.ts';
import { examineRepository, firstCommitWith } from '../scan/repository.ts';
import { type Examined, examine, examinePaths } from '../scan/sources.ts';
import { withTables } from '../tables.ts';

/** Exit status if no key was found, but something could not be examined. */
const unexamined = 3;

/** A key with the commit that added it. */
interface Reported extends FoundKey {
  readonly commit?: string;
}

/** A name without control characters and invisible characters. */
const printable = (text: string): string =>
  text.replace(/[\p{C}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

const stateOf = ({ status, revoked, revoked_at }: FoundKey): string => {
  if (revoked) return 'revoked now';
  return revoked_at === null ? status : `${status} on ${revoked_at}`;
};

const lineOf = (found: Reported): string => {
  const commit = found.commit === undefined ? '' : ` (commit ${found.commit.slice(0, 12)})`;
  const name = printable(JSON.stringify(found.name));
  return `${printable(found.file)}:${found.line}${commit}: key ${name} (id ${found.id}) of ${printable(found.username)}: ${stateOf(found)}`;
};

/** The commits of keys in a repository; each object is looked up once. */
const withCommits = async (
  repository: ForeignRepository,
  found: readonly FoundKey[],
): Promise<readonly Reported[]> => {
  const commits = new Map<string, string | undefined>();
  for (const { object, file } of found) {
    if (object === undefined || commits.has(object)) continue;
    commits.set(object, file === '(commit message)' ? object : await firstCommitWith(repository, object));
  }
  return found.map((each) => {
    const commit = commits.get(each.object ?? '');
    return commit === undefined ? each : { ...each, commit };
  });
};

/** Keys in the repository at a path; unreadable parts are listed. */
const scanRepository = async (
  search: KeySearch,
  examined: Examined,
  path: string,
  warn: (line: string) => void,
): Promise<readonly Reported[]> => {
  const listUnread = (error: unknown): undefined => {
    if (!(error instanceof CommandError)) throw error;
    examined.unread.push(`${path}: ${error.message}`);
  };
  const repository = await ForeignRepository.open(path).catch(listUnread);
  if (repository === undefined) return [];
  try {
    await examineRepository(search, examined, repository, (line) => warn(`${path}: ${line}`)).catch(
      listUnread,
    );
    return await withCommits(repository, await search.finish());
  } finally {
    await repository.close();
  }
};

const quantityText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const command = defineCommand({
  operands: ['PATH...'],
  options: {
    revoke: { type: 'boolean', help: 'revoke each key that still exists, with a line in the audit log' },
    git: { type: 'boolean', help: 'scan the whole history of the repository at each PATH (default: here)' },
    ...jsonOption,
  },
  description: [
    'Finds API keys of this service in files, folders or standard input, and prints file, line, owner and name of each, never',
    'the key. It finds replaced and revoked keys too. With --git it reads every version of every file, and messages of',
    'commits and tags.',
    'Exit status: 0 no key, 1 keys, 2 wrong usage, 3 no key, but something could not be scanned.',
  ],
  examples: [
    'gatewright scan . /var/log/app.log',
    'kubectl logs deploy/web | gatewright scan',
    'gatewright scan --git --revoke ~/src/web',
  ],
  async run({ values: { revoke = false, git = false, json = false }, operands: paths }, io) {
    if (!git && paths.length === 0 && io.interactive)
      throw new UsageError('PATH is missing; without one, standard input is scanned');
    const examined: Examined = { texts: 0, bytes: 0, unread: [] };
    const scan = () =>
      withTables(io, async (context): Promise<readonly Reported[]> => {
        const search = createKeySearch(context, revoke);
        if (git) {
          const all: Reported[] = [];
          for (const path of paths.length === 0 ? ['.'] : paths)
            all.push(...(await scanRepository(search, examined, path, io.warn)));
          return all;
        }
        if (paths.length === 0) await examine(search, examined, { file: '(standard input)' }, io.stdin);
        else await examinePaths(search, examined, paths);
        return search.finish();
      });
    const found = await scan().catch((error: unknown) => {
      const message = errorMessage(error);
      throw new CommandError(message, { cause: error, status: unexamined });
    });
    const { texts, bytes, unread } = examined;
    for (const line of unread) io.warn(`not read: ${printable(line)}`);
    if (json) {
      const keys = found.map(({ object: _, ...key }) => key);
      io.print(JSON.stringify({ found: keys, texts, bytes, unread }));
    } else for (const each of found) io.print(lineOf(each));
    if (found.length > 0) {
      const keys = quantityText(new Set(found.map(({ id }) => id)).size, 'key');
      throw new CommandError(`found ${keys} in ${quantityText(found.length, 'place')}`);
    }
    const scanned = `no key in ${quantityText(texts, git ? 'object' : 'text')}, ${(bytes / 1_000_000).toFixed(1)} MB`;
    if (unread.length > 0)
      throw new CommandError(`${scanned}; ${unread.length} could not be read`, { status: unexamined });
    if (!json) io.print(scanned);
  },
});
