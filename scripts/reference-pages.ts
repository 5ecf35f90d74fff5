import { readFile } from 'node:fs/promises';
import { variables } from '../src/app/variables.ts';
import { commandHelp } from '../src/cli/help.ts';
import { registry } from '../src/cli/registry.ts';
import { rankedMatches } from '../src/database/search.ts';
import type { FieldType, FilterOperator } from '../src/fields/field.ts';
import { fieldKinds, fieldTypes } from '../src/fields/registry.ts';
import { headerTexts, parameterTexts } from '../src/http/describe.ts';
import { plainParameters } from '../src/records/list.ts';
import { aggregatesPage } from './reference-aggregates.ts';
import { clocksPage } from './reference-clocks.ts';
import { errorsPage } from './reference-errors.ts';
import { fieldsPage } from './reference-fields.ts';
import { limitsPage } from './reference-limits.ts';
import { code, page, table } from './reference-markdown.ts';
import { resourcePage, scopePage } from './reference-resource.ts';
import { interfacesIn, membersOf, memberTable } from './reference-types.ts';
import { vectorsFile } from './reference-vectors.ts';

const configTypes: Readonly<Record<string, string>> = {
  limits: '{ [name]: RateLimit }',
  onPayment: 'function',
  providers: '{ [name]: oidc({ … }) }',
  onStart: 'function',
  onStop: 'function',
};

const configurationPage = (): string =>
  page(
    'Configuration',
    'The service reads these environment variables once, at start. If any are invalid, it reports all of them and does not start. An empty variable counts as unset.',
    [
      table(
        ['variable', 'default', 'meaning'],
        variables.map(({ name, fallback, meaning }) => [code(name), code(fallback), meaning.en]),
      ),
      '## gatewright.config.ts',
      'Functions and limits, which no variable can hold, are in this file of the application: it exports `defineConfig({ … })` by default. The file is optional.',
      memberTable(membersOf(interfacesIn(['app/application.ts']), 'ApplicationConfig'), configTypes),
      'A `RateLimit` has `max` requests in a `window` (`1m`), of which `burst` may come at once, for each `caller` or each `network` (`per`): see [Limit requests](../guide/rate-limits.md).',
      '`mail` and `registration` are explained in [Self-service accounts and mail](../guide/accounts.md), `providers` in [Sign in with a provider](../guide/providers.md).',
    ].join('\n\n'),
  );

const chineseConfiguration = new URL('../docs/reference/configuration.zh-CN.md', import.meta.url);

/** The Chinese page as it is, with the table of variables; the rest of it is written by hand. */
const chineseConfigurationPage = async (): Promise<string> => {
  const rows = variables.map(({ name, fallback, meaning }) => [code(name), code(fallback), meaning['zh-CN']]);
  const written = table(['变量', '默认值', '含义'], rows);
  return (await readFile(chineseConfiguration, 'utf8')).replace(
    /^\| 变量 \|.*\n(?:\|.*\n)*/m,
    () => `${written}\n`,
  );
};

const commandPage = async (): Promise<string> => {
  const helps = await Promise.all(
    [...registry].map(async ([name, { load }]) => {
      const { command } = await load();
      return `## ${name}\n\n\`\`\`text\n${commandHelp(name, command).trimEnd()}\n\`\`\``;
    }),
  );
  return page(
    'Command line',
    'Exit status: 0 success, 1 failure, 2 usage error. An error is one line on stderr. With `--json` the result is the last line of stdout.',
    helps.join('\n\n'),
  );
};

const operatorTexts: Readonly<Record<FilterOperator, string>> = {
  eq: 'equals; same as `filter[field]=value`',
  ne: 'does not equal; null does not equal any value',
  gt: 'greater than',
  gte: 'greater than or equal to',
  lt: 'less than',
  lte: 'less than or equal to',
  in: 'one of the values, comma-separated; `\\,` is a comma inside a value, `\\\\` a backslash',
  like: 'contains the text; case-insensitive for ASCII letters; `%` and `_` are literal',
  starts_with: 'begins with the text, case-sensitive',
  null: '`true`: has no value; `false`: has a value',
};

const listPage = (): string => {
  const { page: number, per_page, after, ...further } = plainParameters;
  const parameters: readonly (readonly [string, string])[] = [
    ['page', number.text.en],
    ['per_page', `${per_page.text.en}, 1 to 1,000`],
    ['after', after.text.en],
    [
      'sort',
      `${parameterTexts.sort.en}; default \`id\`, for words of a full-text search the best match; ties are ordered by \`id\`; null comes first`,
    ],
    ['filter[field][operator]', 'Conditions, joined by AND'],
    [
      'q',
      `${parameterTexts.search.en}; words and their best matches where the model has a [full-text search](../guide/search.md)`,
    ],
    ...Object.entries(further).map(([name, { text }]) => [name, text.en] as const),
  ];
  return page(
    'List parameters',
    'Every list accepts these parameters: resources, `/users`, `/api_keys` and the lists of the administration area. Without `page`, `per_page` and `after`, a list returns all records. An invalid value returns 400, and so does a field that the caller cannot see in the list. See [Aggregates](aggregates.md) for counts and sums by group. See [Relations](relations.md) for related records, and for filters and sorts by their fields (`filter[customer.country]=DE`).',
    [
      table(
        ['parameter', ''],
        parameters.map(([name, text]) => [code(name), text]),
      ),
      'With a cursor, `Link` has `first`, `prev` and `next`. A client that follows them gets every record exactly once, in either direction, even during writes. A cursor is valid only for the sort that it was created with, and responses have no total.',
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
      'Every list and every [aggregate](aggregates.md) is returned as CSV if `Accept` prefers `text/csv` to JSON. Records, fields, pages and headers are the same, and a long list is streamed. Preference goes by weight (`q=`), then by precision of the type, then by position; `*/*` means JSON. Errors are always the JSON envelope. If a response is interrupted, its chunked body has no end marker, as with JSON.',
      [
        '- The format is RFC 4180 in UTF-8. The first line has the field names, lines end with CRLF, and cells are quoted where necessary.',
        '- A null value is empty; an empty text is `""`. Values are those of the JSON response. Arrays, objects, and all values of a `json` field are JSON text.',
        "- Spreadsheets treat text that begins with `=`, `+`, `-` or `@` as a formula, also in full width, after spaces, and after a line break or a separator (`,` `;` `|`, tab) within a cell. The service puts a `'` before each of them; text that already has one gets a second. Plain numbers (`-12.50`) stay unchanged. In JSON arrays and objects, the comma is not such a separator.",
      ].join('\n'),
      '## Pagination',
      table(
        ['header', ''],
        (['X-Total-Count', 'Link'] as const).map((name) => [code(name), headerTexts[name].en]),
      ),
      `In the order of its best matches, a [full-text search](../guide/search.md#the-order) counts up to ${rankedMatches.toLocaleString('en')} records, or to the first one behind the page if that is further.`,
    ].join('\n\n'),
  );
};

/** Files of docs/reference by their names. */
export const referenceFiles = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([
    ['errors.md', errorsPage('en')],
    ['errors.zh-CN.md', errorsPage('zh-CN')],
    ['resource.md', resourcePage()],
    ['scope.md', scopePage()],
    ['fields.md', fieldsPage()],
    ['configuration.md', configurationPage()],
    ['configuration.zh-CN.md', await chineseConfigurationPage()],
    ['command-line.md', await commandPage()],
    ['list-parameters.md', listPage()],
    ['aggregates.md', aggregatesPage()],
    ['clocks.md', clocksPage()],
    ['limits.md', limitsPage()],
    ['signature-vectors.json', vectorsFile()],
  ]);
