import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { prefixFlaw, serviceNames, serviceTables } from '../../src/database/service-names.ts';
import { ownTables } from '../../src/database/tables/own-tables.ts';

const root = new URL('../../', import.meta.url);
const names = [...serviceTables].join('|');

/** Comments, and imports of files that are called as tables are. */
const withoutComments = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/^(?:import|export) [\s\S]*? from '.*';$/gm, '');

/** Texts that callers read, which may have a table's name behind a word of SQL. */
const prose = /\b(?:en|summary|help|text|note): ?['"`]|new Error|Error\(|^\s*['`][A-Z][^`]*['`],?$/;

/** A table of the service as SQL that is written by hand would name it. */
const byHand = new RegExp(
  [
    `\\b(?:from|join|into|update|table|exists|references|on)\\s+"?(?:${names})"?(?=[\\s)\`,(;]|$)(?!\\s*['.])`,
    `"(?:${names})"(?!:)`,
    `(?:identifier|quoteName|nameOf)\\(\\s*'(?:${names})'`,
    `\`(?:${names}) [a-z]+ (?:join|where)\\b`,
  ].join('|'),
);

/** Steps up to the one with which a prefix came: a database with a prefix has them from the baseline, and runs none. */
const lastUnmarked = 82;
const step = /^src\/database\/migrations\/(?<number>\d{4})-/;
const isUnmarked = (file: string): boolean =>
  Number(step.exec(file)?.groups?.['number'] ?? Number.POSITIVE_INFINITY) <= lastUnmarked;

/** A text of SQL beside the builder, which writes no stored names. */
const plainText = /(?<![\w>])`\s*(?:select|insert|update|delete|with)\b[^`]*`/g;

/** A table in such a text whose name comes from elsewhere, and by none of the functions that give stored names. */
const unwritten =
  /(?:\b(?:from|join|into)\s+|\bupdate\s+(?=\$\{\w+\}\s+set\b))\$\{(?![^}]*(?:written|quoted|quoteName)\()/;

/** Inside this room names are quoted at many places, and tests with a prefix reach each. */
const database = /^src\/database\//;

const foundIn = (file: string, text: string): readonly string[] => {
  const code = withoutComments(text);
  const lines = code.split('\n').filter((line) => byHand.test(line) && !prose.test(line));
  const texts = database.test(file) ? [] : Array.from(code.matchAll(plainText), ([found]) => found);
  return [...lines, ...texts.filter((found) => unwritten.test(found))].map(
    (found) => `${file}: ${found.trim()}`,
  );
};

it('no SQL names a table of the service but by own or tableName', () => {
  const files = globSync('src/**/*.ts', { cwd: root.pathname }).filter(
    (file) => !file.endsWith('.test.ts') && !isUnmarked(file),
  );
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) => foundIn(file, readFileSync(new URL(file, root), 'utf8')));
  expect(found).toEqual([]);
});

it.each([
  'sql`select id from users where id = 1`',
  'sql`select 1 from "gatewright_jobs" j`',
  "const from = identifier('gatewright_jobs');",
  'const sql = `update gatewright_database set major = 1`;',
  '  join api_keys k on k.user_id = u.id',
  '(value) => sql`users u where u.id = 1`',
  'drop trigger if exists fence on sessions`',
  `const text = \`select max(id) from \${table}\`;`,
  `const text = \`update \${table} set name = null\`;`,
])('the check finds %s', (line) => {
  expect(foundIn('x.ts', line)).toHaveLength(1);
});

it('no two tables, indexes or triggers of the service have one stored name', () => {
  const triggers = ['gatewright_key_revoked', 'gatewright_user_keys_revoked'];
  for (const prefix of [undefined, 'gatewright_', 'app_', 'gatewright.']) {
    const { shown, object } = serviceNames(prefix);
    const stored = [
      ...[...serviceTables].map(shown),
      ...ownTables.flatMap(({ indexes }) => Object.keys(indexes).map(object)),
      ...triggers.map(object),
    ];
    expect(new Set(stored).size).toBe(stored.length);
  }
});

it('the longest prefix leaves every name within the 63 characters of PostgreSQL', () => {
  const prefix = `${'a'.repeat(23)}_`;
  const { shown, object } = serviceNames(prefix);
  expect(() => serviceNames(`a${prefix}`)).toThrow(/longer than 24 characters/);
  const stored = [
    ...[...serviceTables].map(shown),
    ...ownTables.flatMap(({ indexes }) => Object.keys(indexes).map(object)),
  ];
  expect(Math.max(...stored.map((name) => name.length))).toBeLessThanOrEqual(63);
});

it('a prefix of its own stands for the beginning of today’s names', () => {
  const app = serviceNames('app_');
  expect([app.shown('users'), app.shown('gatewright_jobs'), app.quoted('notes')]).toEqual([
    'app_users',
    'app_jobs',
    '"notes"',
  ]);
  expect([app.shown('gatewright_migrations'), app.shown('migrations')]).toEqual([
    'app_migrations',
    'app_application_migrations',
  ]);
  expect(serviceNames('gatewright.').quoted('gatewright_jobs')).toBe('"gatewright"."jobs"');
  expect([app.described('app_users'), app.described('users'), app.described('notes')]).toEqual([
    'users',
    undefined,
    'notes',
  ]);
  const plain = serviceNames();
  expect([plain.quoted('users'), plain.written('users'), plain.described('users')]).toEqual([
    '"users"',
    'users',
    'users',
  ]);
});

it.each(['', 'app', 'App_', '1_', 'a b_', 'a"_', 'a.b.', '_', '.', 'gatewright_search_'])(
  '%j is no prefix',
  (prefix) => {
    expect(prefixFlaw(prefix)).toContain(`"${prefix}"`);
  },
);
