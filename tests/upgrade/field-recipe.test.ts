import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Edits, filesOf, type NewFile, RecipeCopy } from './recipe.ts';

/** The recipe for a field type, followed in a copy of the source: a duration as ISO 8601 writes it. */

const type: NewFile = {
  file: 'src/fields/duration.ts',
  text: `
import type { OptionTable } from '../kernel/options.ts';
import { type CommonOptions, commonOptions, definition, type FieldDefinition, type FieldType, type Strict } from './field.ts';
import { orNull, textOf } from './values.ts';

export interface DurationOptions extends CommonOptions {
  readonly default?: string;
}

const pattern = /^PT(?=\\d)(?:\\d+H)?(?:\\d+M)?(?:\\d+S)?$/;

/** Hours, minutes and seconds. */
export const duration = {
  kind: 'duration',
  column: 'text',
  define: <const Options extends DurationOptions = DurationOptions>(
    options?: Strict<Options, DurationOptions>,
  ): FieldDefinition<Options, string, string, 'eq' | 'ne' | 'null'> => definition(duration, options),
  options: commonOptions satisfies OptionTable<DurationOptions>,
  input: () => ({ type: 'string', format: 'duration-of-time' }),
  format: {
    name: 'duration-of-time',
    rule: {
      name: 'duration',
      sentence: { 'zh-CN': '{label}不是有效的时长', en: '{label} is not a valid duration' },
    },
    test: (text) => pattern.test(text),
  },
  encode: (value) => textOf(value),
  operators: ['eq', 'ne', 'null'],
  parse: (text) => (pattern.test(text) ? text : undefined),
  fromText: orNull,
  searchable: false,
  sortable: false,
} satisfies FieldType<DurationOptions>;
`,
};

const line: Edits = {
  file: 'src/fields/registry.ts',
  inserted: [
    { before: "import { email } from './email.ts';", text: "import { duration } from './duration.ts';\n" },
    { before: '  enum: enumeration,', text: '  duration,\n' },
  ],
};

/** The tables of the administration area over the kinds of fields. */
const tables: readonly Edits[] = [
  {
    file: 'admin/src/records/field-kinds.ts',
    inserted: [{ before: '  enum: { filter', text: "  duration: { filter: 'text' },\n" }],
  },
  {
    file: 'admin/src/records/field-value.tsx',
    inserted: [{ before: '  enum: ({ field', text: '  duration: textValue,\n' }],
  },
  {
    file: 'admin/src/records/field-input.tsx',
    inserted: [{ before: '  enum: ChoiceInput,', text: '  duration: TextInput,\n' }],
  },
];

/** Run in the copy: a record, a refusal, a filter, the metadata, the API description. */
const program = `
import { createApplication, createTable, defineResource, field } from './src/index.ts';
import { testApplication } from './src/testing/testing.ts';

const fields = { takes: field.duration({ required: true }) };
const application = createApplication({
  resources: [defineResource('Step', { fields })],
  migrations: { '0001': { up: (db, dialect) => createTable(db, dialect, 'steps', { fields }) } },
});
const app = await testApplication({ application, env: { LOCALE: 'en' } });
const client = app.as('super_admin');
const made = await client.post('/api/v1/steps', { step: { takes: 'PT1H30M' } });
const refused = await client.post('/api/v1/steps', { step: { takes: 'soon' } });
const found = await client.get('/api/v1/steps?filter[takes]=PT1H30M');
const { components } = JSON.parse((await client.get('/api-docs/openapi.json')).text);
await app.close();
console.log(JSON.stringify({
  made: made.data.takes,
  refused: refused.data.errors,
  found: found.data.length,
  described: components.schemas.Step.properties.takes.format,
}));
`;

let copy: RecipeCopy;

beforeAll(async () => {
  copy = await RecipeCopy.make();
}, 300_000);
afterAll(() => copy[Symbol.asyncDispose]());

it('the compiler names the tables of the administration area that lack a field type', async () => {
  await copy.apply([type, line]);
  expect(await copy.refused('admin')).toEqual(tables.map(({ file }) => file).sort());
}, 300_000);

it('a field type takes five files: service, metadata, description and pages follow', async () => {
  await copy.apply(tables);
  expect(filesOf([type, line, ...tables])).toBeLessThanOrEqual(7);
  expect(await copy.refused('service')).toEqual([]);
  expect(await copy.refused('admin')).toEqual([]);
  expect(await copy.run(program)).toMatchObject({
    made: 'PT1H30M',
    refused: [{ field: 'takes', rule: 'duration' }],
    found: 1,
    described: 'duration-of-time',
  });
}, 300_000);
