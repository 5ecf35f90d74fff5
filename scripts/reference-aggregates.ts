import { type Bucket, bucketsOf, isGroupable, measuresOf } from '../src/fields/aggregates.ts';
import { fieldKinds, fieldTypes } from '../src/fields/registry.ts';
import { parameterTexts } from '../src/openapi/texts.ts';
import { code, page, table } from './reference-markdown.ts';

const spans: Readonly<Record<Bucket, string>> = {
  hour: '2026-11-21T08',
  day: '2026-11-21',
  week: '2026-W47',
  month: '2026-11',
  year: '2026',
};

const example = `\`\`\`http
GET /api/v1/orders/aggregate?group=status,created_at:day&count&sum=amount&filter[amount][gt]=0&offset=+08:00&sort=-sum_amount
\`\`\`

\`\`\`json
[{ "status": "paid", "created_at_day": "2026-11-21", "count": 3, "sum_amount": 2500 }]
\`\`\``;

const parameters: readonly (readonly [string, string])[] = [
  ['group', parameterTexts.group.en],
  ['count', parameterTexts.count.en],
  ['sum', parameterTexts.sum.en],
  ['avg', parameterTexts.avg.en],
  ['min', parameterTexts.min.en],
  ['max', parameterTexts.max.en],
  ['offset', parameterTexts.offset.en],
  ['sort', parameterTexts.groupSort.en],
  ['filter[field][operator]', 'Conditions on records, as those of the list'],
  ['q', parameterTexts.search.en],
  ['page', 'Page of groups from 1 on; 20 groups a page unless per_page says otherwise'],
  ['per_page', 'Groups a page, 1 to 1,000'],
];

/** The page on groups. */
export const aggregatesPage = (): string =>
  page(
    'Aggregates',
    'Every resource has them beside its list, in the API and in the administration area: `GET /api/v1/<resource>/aggregate` and `GET /admin/records/<resource>/aggregate` count records and sum up their values, by group. Methods of authentication, permissions, rows and fields are those of the list: an aggregate tells nothing that the list would not.',
    [
      example,
      table(
        ['parameter', ''],
        parameters.map(([name, text]) => [code(name), text]),
      ),
      'Keys of a group come in the order of `group`, then `count`, then `sum_…`, `avg_…`, `min_…` and `max_…` in the order in which their fields are named. Without `group` all records are one group, also where there are none: its count is 0, everything else null. Null is a group of its own, the first one ascending.',
      'At least one of `group`, `count`, `sum`, `avg`, `min` and `max` is needed; each takes up to eight fields. What is not understood is 400 `invalid_parameter` with the name of the parameter; a field that the caller does not see in the list is 400 `unusable_field`, whether it exists or not.',
      'Without `page` and `per_page` all groups are returned, up to 1,000. More are 400 `invalid_parameter` naming `per_page`: a response never omits groups silently. Pages have `X-Total-Count`, the number of all groups, and `Link` as lists do; they are numbered, so there is no `after`.',
      '## Values',
      table(
        ['field type', 'in `group`', 'spans of time', 'computed'],
        fieldKinds.map((kind) => {
          const type = fieldTypes[kind];
          return [
            code(kind),
            isGroupable(type) ? 'yes' : 'no',
            bucketsOf(type).map(code).join(' '),
            measuresOf(type).map(code).join(' '),
          ];
        }),
      ),
      [
        '- A sum of whole numbers is exact. It is a number within ±(2^53−1), which every JSON reader takes exactly, and its digits as text beyond that.',
        '- A sum of decimals is an exact text with the digits of the field: `"2500.00"`.',
        '- An average of whole numbers or decimals is the exact sum divided as IEEE 754 doubles: a number that is right to 15 digits, the same on every database.',
        '- A sum or an average of `number` is a double too, of which 15 digits are answered; adding binary fractions has no more, and with terms of both signs fewer. One greater than any double is 400. What has to be exact is better kept in a decimal or an integer.',
        '- Null values are left out of sums, averages, minimums and maximums; of nothing else the result is null.',
        '- The texts of one group (in `group`, `min` and `max`) may have 8 KiB by the limits of their fields: a text without a limit is 400.',
      ].join('\n'),
      '## Spans of time',
      table(
        ['span', 'example', 'fields'],
        Object.entries(spans).map(([name, text]) => [
          code(name),
          code(text),
          name === 'hour' ? '`datetime`' : '`datetime`, `date`',
        ]),
      ),
      'Weeks are those of ISO 8601: they begin on Monday, and a year has the week in which its first Thursday lies. `offset` says which clock moments go by (`Z`, `+08:00`, `-03:30`; the plus may be sent as it is); dates have none. A moment that the offset moves out of the years 0001 to 9999 counts with the first or the last one in them.',
    ].join('\n\n'),
  );
