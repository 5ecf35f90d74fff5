import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { limitConstants } from '../../scripts/reference-limits.ts';
import { interfacesIn, membersOf } from '../../scripts/reference-types.ts';
import { variables } from '../../src/app/variables.ts';
import { registry } from '../../src/cli/registry.ts';
import { problemTable } from '../../src/kernel/problem-table.ts';
import { internalBounds } from './internal-bounds.ts';

/** The pages have what the source defines, once, and name nothing that it does not have. */

const root = new URL('../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');

/** Every page for users, in both languages. */
const pages = globSync(['README*.md', 'SECURITY*.md', 'docs/{tutorial,guide,reference,deploy}/**/*.md'], {
  cwd: root,
})
  .map((page) => page.replaceAll('\\', '/'))
  .sort()
  .map((page) => ({ page, text: read(page) }));

const isTranslation = (page: string): boolean => page.endsWith('.zh-CN.md');

/** First cells of the rows of every table of a text. */
const firstCells = (text: string): readonly string[] =>
  [...text.matchAll(/^\| *([^|\n]+?) *\|/gm)].map(([, cell = '']) => cell);

/** Code of a text: fenced blocks of commands, and what stands between backticks. */
const codeOf = (text: string): readonly string[] => [
  ...[...text.matchAll(/^```(?:bash|sh)\n(.*?)^```/gms)].map(([, block = '']) => block),
  ...[...text.replaceAll(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code),
];

describe('options', () => {
  /**
   * Interfaces whose members a page lists by hand; `npm run reference` writes the other tables from the types
   * themselves.
   */
  const listed = [
    ['endpoints', 'EndpointOptions'],
    ['endpoints', 'BodyLimits'],
    ['endpoints', 'UploadedFile'],
    ['endpoints', 'AnswerOptions'],
    ['jobs', 'JobDefinition'],
    ['jobs', 'JobContext'],
    ['relations', 'ManyOptions'],
    ['migrations', 'TableDefinition'],
    ['migrations', 'TableAlteration'],
    ['testing', 'TestApplication'],
  ] as const;

  const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] });

  /** The file that declares an interface, below `src`. */
  const fileOf = (name: string): string => {
    const found = sources.filter((file) => new RegExp(`^export interface ${name}\\b`, 'm').test(read(file)));
    expect(found, name).toHaveLength(1);
    return (found[0] ?? '').replaceAll('\\', '/').slice('src/'.length);
  };

  /** Names in the first cells of each table of a page. */
  const tablesOf = (page: string): readonly (readonly string[])[] =>
    [...read(`docs/reference/${page}.md`).matchAll(/(?:^\|.*\n)+/gm)].map(([rows]) =>
      // Behind the head and its line.
      [
        ...new Set(
          rows
            .split('\n')
            .slice(2)
            .flatMap((row) => namesIn(row.split('|')[1] ?? '')),
        ),
      ].sort(),
    );

  const namesIn = (cell: string): readonly string[] =>
    [...cell.matchAll(/`(?:await )?(\w+)/g)].map(([, name = '']) => name);

  it.each(listed)('docs/reference/%s.md has a table with the members of %s, and no others', (page, name) => {
    const interfaces = interfacesIn([fileOf(name), 'model/scope.ts']);
    const ofScope = new Set(membersOf(interfaces, 'Scope').map((member) => member.name));
    const members = membersOf(interfaces, name).map((member) => member.name);
    const own = members.filter(
      (member) => !member.startsWith('[') && (name !== 'JobContext' || !ofScope.has(member)),
    );
    expect(own.length).toBeGreaterThan(2);
    expect(tablesOf(page)).toContainEqual(own.toSorted());
  });
});

describe('exports', () => {
  const exportsOf = (file: string): readonly string[] =>
    [...read(file).matchAll(/^export (?!type)(?:\{([^}]*)\}|const (\w+)|class (\w+))/gm)]
      .flatMap(([, names = '', constant, kind]) => [...names.split(','), constant ?? '', kind ?? ''])
      .map((name) => name.trim().replace(/^\w+ as /, ''))
      .filter((name) => name !== '' && !name.startsWith('type '));
  const english = pages.filter(({ page }) => !isTranslation(page));

  it.each(['src/index.ts', 'src/testing/testing.ts', 'client/index.ts', 'client/react-admin/index.ts'])(
    'exports of %s are on a page',
    (file) => {
      const names = exportsOf(file);
      expect(names.length).toBeGreaterThan(0);
      expect(
        names.filter((name) => !english.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text))),
      ).toEqual([]);
    },
  );
});

describe('variables', () => {
  const names = variables.map(({ name }) => name);
  /** Variables of the examples, of other programs, and of one command (`move`, which describes it). */
  const ofOthers = new Set([
    ...['PAY_SECRET', 'API_SECRET', 'KEY_ID'],
    ...[
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
      'NODE_OPTIONS',
      'COMPOSE_FILE',
      'POSTGRES_URL',
      'POSTGRES_USER',
      'POSTGRES_PASSWORD',
    ],
    'TO_DATABASE_URL',
  ]);
  const isTable = (page: string): boolean => /^docs\/reference\/configuration(?:\.zh-CN)?\.md$/.test(page);

  it('variables are each described in the one table, and in no other', () => {
    for (const { page, text } of pages) {
      const described = firstCells(text).filter((cell) => names.includes(cell.replaceAll('`', '')));
      expect(described, page).toEqual(isTable(page) ? names.map((name) => `\`${name}\``) : []);
    }
  });

  it('variables that a page names exist', () => {
    const unknown = pages.flatMap(({ page, text }) =>
      codeOf(text)
        .flatMap((code) => [...code.matchAll(/(?<![\w$.{-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g)])
        .map(([, name = '']) => name)
        .filter((name) => !names.includes(name) && !ofOthers.has(name))
        .map((name) => `${page}: ${name}`),
    );
    expect([...new Set(unknown)]).toEqual([]);
  });
});

describe('codes', () => {
  const codes = Object.values(problemTable).map(String);
  const rowsOf = (name: string): readonly string[] =>
    firstCells(read(`docs/reference/${name}.md`)).flatMap((cell) => /^\[?(\d{5})\b/.exec(cell)?.[1] ?? []);

  it('codes have one row each on the page errors, and at most one on the page troubleshooting', () => {
    expect(rowsOf('errors').toSorted()).toEqual(codes.toSorted());
    const explained = rowsOf('troubleshooting');
    expect(explained.length).toBeGreaterThan(30);
    expect(explained.filter((code, at) => !codes.includes(code) || explained.indexOf(code) !== at)).toEqual(
      [],
    );
  });

  it('codes have rows on no other page of reference', () => {
    const others = pages.filter(
      ({ page }) => /^docs\/reference\//.test(page) && !/\/(?:errors|troubleshooting)\b/.test(page),
    );
    for (const { page, text } of others)
      expect(
        firstCells(text).filter((cell) => codes.includes(cell.replaceAll('`', ''))),
        page,
      ).toEqual([]);
  });

  it('codes that a page names exist, or are those of an application (50 to 99)', () => {
    const statuses = new Set(codes.map((code) => code.slice(0, 3)));
    const isKnown = (code: string): boolean => codes.includes(code) || Number(code) % 100 >= 50;
    const unknown = pages.flatMap(({ page, text }) =>
      [...text.matchAll(/(?<![\w.,:/-])([45]\d{4})(?![\w.,-]?\d|\w)/g)]
        .map(([, code = '']) => code)
        .filter((code) => statuses.has(code.slice(0, 3)) && !isKnown(code))
        .map((code) => `${page}: ${code}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe('commands', () => {
  /** A call of the command, with the words up to the end of the call. */
  const call =
    /(?<=^|npx |bin\/|[|;&(] ?|[A-Z]=\S* )gatewright(?:\.js)? (?=[a-z-])((?:[^\n|;&<>`#]|\\\n)*)/gm;

  /** Options of each command, as its generated page has them. */
  const optionsOf: ReadonlyMap<string, readonly string[]> = new Map(
    read('docs/reference/command-line.md')
      .split(/^## /m)
      .slice(1)
      .map((section) => [
        section.slice(0, section.indexOf('\n')),
        [...section.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, option = '']) => option),
      ]),
  );

  const misnamed = (words: readonly string[]): readonly string[] => {
    const [first = '', second = ''] = words;
    if (/^(?:--help|--version|-h|help|COMMAND)$/.test(first)) return [];
    const name = [`${first} ${second}`, first].find((each) => optionsOf.has(each));
    const options = name === undefined ? undefined : optionsOf.get(name);
    if (options === undefined) return [`no command ${first} ${second}`];
    return words
      .flatMap((word) => /^--([a-z-]+)/.exec(word)?.[1] ?? [])
      .filter((option) => !options.includes(option))
      .map((option) => `${name} has no --${option}`);
  };

  it('commands that a page names exist, with their options', () => {
    const calls = pages.flatMap(({ page, text }) =>
      codeOf(text)
        .flatMap((code) => [...code.matchAll(call)])
        .map(([, rest = '']) => ({ page, words: rest.replaceAll('\\\n', ' ').trim().split(/\s+/) })),
    );
    expect(calls.length).toBeGreaterThan(100);
    const wrong = calls.flatMap(({ page, words }) => misnamed(words).map((each) => `${page}: ${each}`));
    expect([...new Set(wrong)]).toEqual([]);
  });

  it('commands are each on the page of commands, and on another page at work', () => {
    expect([...optionsOf.keys()]).toEqual([...registry.keys()]);
    const elsewhere = pages
      .filter(({ page }) => !page.endsWith('command-line.md'))
      .map(({ text }) => text)
      .join('\n');
    expect([...registry.keys()].filter((name) => !elsewhere.includes(name))).toEqual([]);
  });
});

describe('limits', () => {
  /** Folders whose bounds a caller or a developer can meet. */
  const folders = '{accounts,auth,console,delivery,fields,http,ledger,model,records,resources}';
  const bound =
    /^(?:export )?const ((?:max|most|min)[A-Z]\w*|\w+(?:Limit|Lifetime|Tolerance))(?:: \w+)? = [\d(][^=]*;$/gm;

  it('limits are on their page, or listed as bounds that no caller meets', () => {
    const found = globSync(`src/${folders}/**/*.ts`, { cwd: root, exclude: ['**/*.test.ts'] }).flatMap(
      (file) =>
        [...read(file).matchAll(bound)].map(([, name]) => `${file.replaceAll('\\', '/').slice(4)} ${name}`),
    );
    expect(found.length).toBeGreaterThan(80);
    const internal = Object.values(internalBounds).flat();
    const isInternal = (each: string): boolean =>
      internal.includes(each) || internal.includes(each.split(' ')[0] ?? '');
    expect(found.filter((each) => !limitConstants.has(each) && !isInternal(each))).toEqual([]);
    // A file that has limits as well names its constants.
    expect([...limitConstants].filter(isInternal)).toEqual([]);
  });

  it('limits have no two rows of one name', () => {
    const rows = read('docs/reference/limits.md')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| (?:limit|---) /.test(line))
      .map((line) => line.split(' | ')[0]);
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.filter((row, at) => rows.indexOf(row) !== at)).toEqual([]);
  });
});
