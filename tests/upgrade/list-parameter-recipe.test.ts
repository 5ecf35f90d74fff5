import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { plainParameters } from '../../src/records/list.ts';
import { root } from '../tour/service.ts';
import { type Edits, filesOf, RecipeCopy } from './recipe.ts';

/** The recipe for a parameter of lists, followed in a copy of the source: `distinct=true` returns equal rows once. */

/** The first edits: the description of the parameter, and its member of a list request. */
const begun: readonly Edits[] = [
  {
    file: 'src/records/list/plain-parameters.ts',
    inserted: [
      {
        before: '} satisfies Readonly<Record<string, PlainParameter>>',
        text: `  distinct: {
    text: { 'zh-CN': '相同的记录只返回一条', en: 'Return equal records once' },
    schema: { type: 'boolean' },
  },
`,
      },
    ],
  },
  {
    file: 'src/records/list/parameters.ts',
    inserted: [{ before: '  readonly sort: Sort;\n', text: '  readonly distinct: boolean;\n' }],
  },
];

/** The places that the compiler names after these, and then the SQL, the client and the documentation page. */
const completed: readonly Edits[] = [
  {
    file: 'src/records/list/parameters.ts',
    inserted: [
      { before: '  sort: defaultSort(source),\n', text: '  distinct: false,\n' },
      { before: "  sort: 'sort',\n  q: 'search'", text: "  distinct: 'distinct',\n" },
      {
        before: '/** Parses the filters and the search. */',
        text: `const parseFlag = (name: string, text = 'false'): boolean => {
  if (text !== 'true' && text !== 'false') throw invalidParameter(name);
  return text === 'true';
};

`,
      },
      {
        before: "    fields: parseFields(view, single.get('fields')),",
        text: "    distinct: parseFlag('distinct', single.get('distinct')),\n",
      },
      {
        before:
          '  readonly fields: readonly string[];\n  readonly sort: Sort;\n  readonly filters: readonly FilterShape',
        text: '  readonly distinct: boolean;\n',
      },
      {
        before: '    fields,\n    sort,\n    filters: filters.map(filterShape)',
        text: '    distinct: parameters.distinct,\n',
      },
      { before: '    fields: shape.fields,', text: '    distinct: shape.distinct,\n' },
      {
        before: '    source: source.mask,\n    rows: rows.key,\n    filters',
        text: '    distinct: distinct ? fields : undefined,\n',
      },
      {
        before: 'source, rows, filters, searched, ranked, total }: ListShape) =>',
        text: 'distinct, fields, ',
      },
      { before: 'filters, searched }: ListShape): boolean =>\n  filters.length', text: 'distinct, ' },
      { before: 'filters.length > 0 || searched', text: 'distinct || ' },
      {
        before: '  if (filtersOnRelations(shape)) return false;',
        text: '  if (shape.distinct) return false;\n',
      },
    ],
  },
  {
    file: 'src/records/list/clauses.ts',
    inserted: [
      {
        before: "/** The clauses of a list's statements. */",
        text: `/** The condition that a row is the first one of those with the same fields. */
const firstOfEqual = (
  { source, fields }: ListShape,
  conditions: readonly Fragment[],
  dialect: Dialect,
): Fragment => {
  const column = (of: string): Fragment => storedValue(columnOf(source, of), dialect);
  const key = column(source.key);
  const rows = sql\`\${source.from(dialect)} as \${identifier(rowAlias)}\${where(conditions)}\`;
  return sql\`\${key} in (select min(\${key}) from \${rows} group by \${join(fields.map(column))})\`;
};

`,
      },
      {
        before: '  const following = [...matching, ...afterCursor];',
        text: '  if (shape.distinct) matching.push(firstOfEqual(shape, matching, dialect));\n',
      },
      { before: "paging.kind === 'all' || columnOf(source, source.key)", text: 'shape.distinct || ' },
    ],
  },
  {
    file: 'src/records/key-parts.test.ts',
    inserted: [
      {
        before: "      sort: shape('page=1&sort=-id'),",
        text: "      distinct: shape('page=1&sort=id&distinct=true'),\n",
      },
    ],
  },
  {
    file: 'src/model/scope.ts',
    inserted: [
      {
        before: '  /** Page number, from 1. */\n  readonly page?: number;',
        text: '  /** Whether equal records are returned once. */\n  readonly distinct?: boolean;\n',
      },
    ],
  },
  {
    file: 'src/resources/operations/scope-records.ts',
    inserted: [
      { before: '  page: numeric,\n  perPage: numeric,\n  after: anything,', text: '  distinct: flag,\n' },
      { before: 'sort, q, page, perPage, after, total } = query;', text: 'distinct, ' },
      { before: '    page,\n    per_page: perPage,', text: '    distinct,\n' },
    ],
  },
  {
    file: 'client/query.ts',
    inserted: [
      {
        before: '  /** From 1. */',
        text: '  /** Whether equal records are returned once. */\n  readonly distinct?: boolean | undefined;\n',
      },
      { before: '  per_page: 1,', text: '  distinct: 1,\n' },
    ],
  },
  {
    file: 'scripts/reference-translations.ts',
    inserted: [
      {
        before: "  ['Page number, from 1.',",
        text: "  ['Whether equal records are returned once.', '相同的记录是否只返回一次。'],\n",
      },
    ],
  },
  {
    file: 'docs-page/operation-view.js',
    inserted: [{ before: "  'include',\n  'q',", text: "  'distinct',\n" }],
  },
];

/** Run in the copy: the response, a refusal, a scope of code, the API description, the reference. */
const program = `
import { createApplication } from './src/app/application.ts';
import { createTable, defineResource, field } from './src/index.ts';
import { testApplication } from './src/testing/testing.ts';
import { referenceFiles } from './scripts/reference-pages.ts';
import { listQuery } from './client/query.ts';

const fields = { title: field.string(), genre: field.string() };
const application = createApplication({
  resources: [defineResource('Book', { fields })],
  migrations: { '0001': { up: (db, dialect) => createTable(db, dialect, 'books', { fields }) } },
});
const app = await testApplication({ application, env: { LOCALE: 'en' } });
const client = app.as('super_admin');
for (const genre of ['novel', 'essay', 'novel', 'novel'])
  await client.post('/api/v1/books', { book: { title: 't', genre } });
const get = (query) => client.get('/api/v1/books' + listQuery(query));
const query = { fields: ['genre'], sort: 'genre', distinct: true, page: 1, per_page: 1 };
const first = await get(query);
const second = await get({ ...query, page: 2 });
const all = await get({ fields: ['genre'] });
const refused = await client.get('/api/v1/books?distinct=maybe');
const { components } = JSON.parse((await client.get('/api-docs/openapi.json')).text);
await app.close();
console.log(JSON.stringify({
  first: first.data,
  second: second.data,
  total: first.headers['x-total-count'],
  all: all.data.length,
  refused: refused.status,
  described: components.parameters.distinct,
  reference: (await referenceFiles()).get('list-parameters.md'),
}));
`;

let copy: RecipeCopy;

beforeAll(async () => {
  copy = await RecipeCopy.make(['src/records/key-parts.test.ts', 'tests/types/list-parameters.test.ts']);
}, 300_000);
afterAll(() => copy[Symbol.asyncDispose]());

it('the compiler names the places that a parameter of lists still lacks', async () => {
  await copy.apply(begun);
  expect(await copy.refused('service')).toEqual([
    'src/records/key-parts.test.ts',
    'src/records/list/parameters.ts',
    'src/resources/operations/scope-records.ts',
    'tests/types/list-parameters.test.ts',
  ]);
}, 300_000);

it('a parameter of lists takes nine files: description, reference, client and code follow', async () => {
  await copy.apply(completed);
  expect(filesOf([...begun, ...completed])).toBeLessThanOrEqual(9);
  expect(await copy.refused('service')).toEqual([]);
  expect(await copy.run(program)).toEqual({
    first: [{ genre: 'essay' }],
    second: [{ genre: 'novel' }],
    total: '2',
    all: 4,
    refused: 400,
    described: expect.objectContaining({ in: 'query', description: 'Return equal records once' }),
    reference: expect.stringContaining('| `distinct` | Return equal records once |'),
  });
}, 300_000);

it('the documentation page folds the parameters that every list has', async () => {
  const page = await readFile(join(root, 'docs-page/operation-view.js'), 'utf8');
  const [, folded = ''] = /const listOptions = new Set\(\[([^\]]*)\]\)/.exec(page) ?? [];
  for (const name of Object.keys(plainParameters)) expect(folded).toContain(`'${name}'`);
});
