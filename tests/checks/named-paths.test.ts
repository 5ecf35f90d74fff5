import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Pages for contributors name files and folders that exist, from the top of the repository. */

const root = fileURLToPath(new URL('../..', import.meta.url));

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));

const pages = tracked.filter((file) =>
  /^(?:CONTRIBUTING\.md|docs\/(?:contributing|decisions)\/.+\.md|(?:src|tests|admin|bench|scripts)\/(?:.+\/)?README\.md)$/.test(
    file,
  ),
);

const foldersIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

const topFolders = new Set(
  tracked.flatMap((file) => (file.includes('/') ? [file.slice(0, file.indexOf('/'))] : [])),
);

const roomsOfSource = new Set(foldersIn('src').filter((name) => !topFolders.has(name)));

const baseNames = new Set(tracked.map((file) => basename(file)));

/** True if the path exists, or git ignores it because a command writes it. */
const exists = (path: string): boolean =>
  existsSync(join(root, path)) ||
  globSync(path, { cwd: root }).length > 0 ||
  spawnSync('git', ['check-ignore', path, `${path}/`], { cwd: root }).status === 0;

/** The flaw of a text in backquotes as the name of a file or folder; undefined for a right name and for other code. */
const flawOf = (code: string): string | undefined => {
  // `src/auth:requests` is a part of a folder.
  const [path = ''] = code.split(':');
  if (!/^[\w.*{},@-]+(?:\/[\w.*{},@-]*)*$/.test(path)) return undefined;
  const [first = '', ...others] = path.split('/');
  if (others.length === 0)
    return /\.tsx?$/.test(path) && !baseNames.has(path) ? `no file is called ${path}` : undefined;
  if (topFolders.has(first)) return exists(path) ? undefined : `${path} does not exist`;
  return roomsOfSource.has(first) ? `${path} is not named from the top of the repository` : undefined;
};

const flawsOf = (text: string): readonly string[] =>
  text.split('\n').flatMap((line, at) =>
    [...line.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => {
      const flaw = flawOf(code);
      return flaw === undefined ? [] : [`line ${at + 1}: ${flaw}`];
    }),
  );

describe('paths in pages for contributors', () => {
  it.each(pages)('%s names files and folders that exist', (page) => {
    expect(flawsOf(read(page))).toEqual([]);
  });

  it('the check looks for paths in every page for contributors', () => {
    expect(pages).toEqual(
      expect.arrayContaining(['CONTRIBUTING.md', 'docs/decisions/0001-layers-and-libraries.md']),
    );
    expect(pages.flatMap((page) => read(page).match(/`src\/[^`]+`/g) ?? []).length).toBeGreaterThan(100);
  });

  it('the check finds a path that is gone or incomplete', () => {
    const page =
      '`src/policy/decide.ts` `src/*/decide.ts` `tests/gone.ts`\n`policy/decide.ts` `gone.ts` `text/html`';
    expect(flawsOf(page)).toEqual([
      'line 1: tests/gone.ts does not exist',
      'line 2: policy/decide.ts is not named from the top of the repository',
      'line 2: no file is called gone.ts',
    ]);
  });
});

describe('pages that code names', () => {
  it('pages that code names exist', () => {
    const sources = tracked.filter((file) => /\.(?:ts|tsx|js|cjs|css|sh)$/.test(file));
    const named = sources.flatMap((file) =>
      [...read(file).matchAll(/(?<![\w/-])docs\/[\w./-]+\.md\b/g)].map(([page]) => ({ file, page })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ page }) => !existsSync(join(root, page)))).toEqual([]);
  });
});

describe('switches of the tests', () => {
  it('every switch of tests/README.md is read by a test', () => {
    const [, table = ''] = read('tests/README.md').split('## Switches');
    const cells = [...table.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell);
    const names = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)/g)].map(([, name = '']) => name));
    expect(names.length).toBeGreaterThan(8);
    const tests = tracked.filter((file) => file.startsWith('tests/') && file.endsWith('.ts')).map(read);
    const isRead = (name: string): boolean => tests.some((text) => text.includes(`process.env['${name}']`));
    expect(names.filter((name) => !isRead(name))).toEqual([]);
  });
});
