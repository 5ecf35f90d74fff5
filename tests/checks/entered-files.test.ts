import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The files that each request enters, by its name. */
const entered = new Map<string, readonly string[]>();

beforeAll(async () => {
  const script = ['scripts/entered-files.ts', '--list'];
  const { stdout } = await promisify(execFile)(process.execPath, script, { cwd: root, timeout: 50_000 });
  for (const [, name = '', list = ''] of stdout.matchAll(/^(\S.*): \d+ files\n((?: {2}.*\n)+)/gm))
    entered.set(name, list.trim().split(/\s+/));
}, 60_000);

/** A reader of a request has to open these files: an addition joins a file that is there, or is worth its own. */
it.each([
  ['create', 43],
  ['list with include', 41],
  ['event to webhook', 65],
])('the request “%s” enters no more than %i files of src', (name, most) => {
  const files = entered.get(name) ?? [];
  expect(files.length).toBeGreaterThan(20);
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most);
});

/** The files that a walk of docs/contributing/walks.md names, below `src`. */
const namedIn = (title: string): readonly string[] => {
  const sections = readFileSync(`${root}/docs/contributing/walks.md`, 'utf8').split(/^## /m);
  const walk = sections.find((section) => section.startsWith(`${title}\n`)) ?? '';
  return [...walk.matchAll(/`src\/([\w/-]+\.ts)`/g)].map(([, file = '']) => file);
};

it.each([
  ['create', 'A create'],
  ['list with include', 'A list with a related record'],
  ['event to webhook', 'An event on its way to a webhook'],
])('the walk of a %s names only files that it enters', (name, title) => {
  const named = namedIn(title);
  expect(named.length).toBeGreaterThan(6);
  expect(named.filter((file) => entered.get(name)?.includes(file) !== true)).toEqual([]);
});
