import { variables } from '../src/app/variables.ts';
import { commandHelp } from '../src/cli/help.ts';
import { registry } from '../src/cli/registry.ts';
import type { FieldType, FilterOperator } from '../src/fields/field.ts';
import { fieldKinds, fieldTypes } from '../src/fields/registry.ts';
import { catalogueOf, type OwnRule, uniqueTogether } from '../src/kernel/messages/messages.ts';
import { type ProblemName, problemTable, statusOf } from '../src/kernel/problem-table.ts';
import { headerTexts, parameterTexts } from '../src/openapi/texts.ts';
import { aggregatesPage } from './reference-aggregates.ts';
import { clocksPage } from './reference-clocks.ts';
import { fieldsPage } from './reference-fields.ts';
import { limitsPage } from './reference-limits.ts';
import { code, page, table } from './reference-markdown.ts';
import { resourcePage, scopePage } from './reference-resource.ts';
import { vectorsFile } from './reference-vectors.ts';

const chinese = catalogueOf('zh-CN');
const english = catalogueOf('en');

const ownRule = ({ name, sentence }: OwnRule): readonly string[] => [
  code(name),
  sentence['zh-CN'],
  sentence.en,
];

/** Rules that a field type defines, beside those of the catalogues. */
const typeRules = (): readonly (readonly string[])[] =>
  fieldKinds.flatMap((kind) => {
    const { format }: FieldType = fieldTypes[kind];
    const rule = format?.rule;
    if (rule === undefined || typeof rule === 'string') return [];
    return [ownRule(rule)];
  });

const errorsPage = (): string => {
  const names = Object.keys(problemTable) as ProblemName[];
  const rules = Object.keys(english.rules) as (keyof typeof english.rules)[];
  return page(
    'Errors',
    'An error is answered as `{"code":…,"message":…}` with the HTTP status of the table. `code` is stable: programs go by it, not by the text. `LOCALE` chooses the language of the texts.',
    [
      table(
        ['code', 'status', 'name', 'zh-CN', 'en'],
        names.map((name) => [
          String(problemTable[name]),
          String(statusOf(name)),
          code(name),
          chinese.problems[name],
          english.problems[name],
        ]),
      ),
      'A 401 carries `WWW-Authenticate`, a 405 `Allow`, a 429 and a 503 `Retry-After` in seconds; 50302 has none, as sending the same again may write twice.',
      'Every method that a path does not take is 405, whatever its name (`TRACE`, `QUERY`, `FOO`); `OPTIONS` too, except for a browser’s preflight where `CORS_ORIGINS` is set, and for `OPTIONS *` (204). PUT is another word for PATCH, and HEAD is answered wherever GET is.',
      '## Validation',
      'With `invalid_record` (422) `data.errors` holds `{field, rule, message}` for every violated rule, and the message is all of them joined by a comma and a space. Fields that are unique in combination have a message each, in their order, as far as the caller may write them.',
      table(
        ['rule', 'zh-CN', 'en'],
        [
          ...rules.map((rule) => [code(rule), chinese.rules[rule], english.rules[rule]]),
          ownRule(uniqueTogether),
          ...typeRules(),
        ],
      ),
    ].join('\n\n'),
  );
};

const configurationPage = (): string =>
  page(
    'Configuration',
    'Read from the environment once, at start. All mistakes are reported at once, and then the service does not start. An empty variable counts as absent.',
    table(
      ['variable', 'default', 'meaning'],
      variables.map(({ name, fallback, meaning }) => [code(name), code(fallback), meaning]),
    ),
  );

const commandPage = async (): Promise<string> => {
  const helps = await Promise.all(
    [...registry].map(async ([name, { load }]) => {
      const { command } = await load();
      return `## ${name}\n\n\`\`\`text\n${commandHelp(name, command).trimEnd()}\n\`\`\``;
    }),
  );
  return page(
    'Command line',
    'Exit status: 0 done, 1 failed, 2 wrongly used. An error is one line on stderr. With `--json` the result is one line, the last of stdout.',
    helps.join('\n\n'),
  );
};

const operatorTexts: Readonly<Record<FilterOperator, string>> = {
  eq: 'equal; `filter[field]=value` is the same',
  ne: 'not equal; null is not equal to any value',
  gt: 'greater',
  gte: 'greater or equal',
  lt: 'less',
  lte: 'less or equal',
  in: 'one of the values, comma-separated; `\\,` is a comma inside a value, `\\\\` a backslash',
  like: 'contains the text; ASCII letters in either case, `%` and `_` are themselves',
  starts_with: 'begins with the text, case-sensitive',
  null: '`true`: has no value; `false`: has one',
};

const listPage = (): string => {
  const parameters: readonly (readonly [string, string])[] = [
    ['page', parameterTexts.page.en],
    ['per_page', `${parameterTexts.perPage.en}, 1 to 1,000`],
    ['after', parameterTexts.after.en],
    ['sort', `${parameterTexts.sort.en}; \`id\` where it is not given, ties go by \`id\`, null comes first`],
    ['filter[field][operator]', 'Conditions, joined by AND'],
    ['q', parameterTexts.search.en],
    ['fields', parameterTexts.fields.en],
  ];
  return page(
    'List parameters',
    'Every list takes them: resources, `/users`, `/api_keys` and those of the administration area. Without `page`, `per_page` and `after` a list is whole. A value that is not understood, and a field that the caller does not see in the list, is 400. What is counted and summed up by groups is on the page [Aggregates](aggregates.md); related records in the answer, and filters and sorts by their fields (`filter[customer.country]=DE`), on [Relations](relations.md).',
    [
      table(
        ['parameter', ''],
        parameters.map(([name, text]) => [code(name), text]),
      ),
      'Behind a cursor `Link` names `first`, `prev` and `next`: a client that follows them gets every record once, in either direction, whatever others write meanwhile. A cursor is valid for its own sort only, and has no total.',
      '## Operators',
      table(
        ['operator', ''],
        Object.entries(operatorTexts).map(([name, text]) => [code(name), text]),
      ),
      table(
        ['field type', 'operators', 'sortable', 'searched by `q`'],
        fieldKinds.map((kind) => {
          const { operators, sortable, searchable }: FieldType = fieldTypes[kind];
          return [
            code(kind),
            operators.map(code).join(' '),
            sortable ? 'yes' : 'no',
            searchable ? 'yes' : 'no',
          ];
        }),
      ),
      '## CSV',
      'Every list, and every [aggregate](aggregates.md), is answered as CSV where `Accept` prefers `text/csv` to JSON: the same records, fields, pages and headers, streamed where the list is long. Weights count (`q=`), then how precisely a type is named, then its place; `*/*` stays JSON. Errors are always the envelope. An answer that breaks off half-way is not ended (chunked transfer coding), as with JSON.',
      [
        '- RFC 4180 in UTF-8: the first line has the names of the fields, lines end with CRLF, cells are quoted where they have to be.',
        '- No value is nothing between two commas; an empty text is `""`. Values are those of the JSON answer; arrays, objects, and everything in a field of JSON, are JSON text.',
        "- A spreadsheet takes what begins with `=`, `+`, `-` or `@` for a formula, also in full width, behind blanks, and behind a line break or a separator (`,` `;` `|`, tab) inside a cell. A `'` stands before each such place; text that had one there has two. Plain numbers (`-12.50`) are none. In arrays and objects of JSON the comma does not count.",
      ].join('\n'),
      '## Headers of a page',
      table(
        ['header', ''],
        (['X-Total-Count', 'Link'] as const).map((name) => [code(name), headerTexts[name].en]),
      ),
    ].join('\n\n'),
  );
};

/** Files of docs/reference by their names. */
export const referenceFiles = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([
    ['errors.md', errorsPage()],
    ['resource.md', resourcePage()],
    ['scope.md', scopePage()],
    ['fields.md', fieldsPage()],
    ['configuration.md', configurationPage()],
    ['command-line.md', await commandPage()],
    ['list-parameters.md', listPage()],
    ['aggregates.md', aggregatesPage()],
    ['clocks.md', clocksPage()],
    ['limits.md', limitsPage()],
    ['signature-vectors.json', vectorsFile()],
  ]);
