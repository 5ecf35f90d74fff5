import { type Bucket, bucketsOf, isGroupable, measuresOf } from '../src/fields/aggregates.ts';
import { fieldKinds, fieldTypes } from '../src/fields/registry.ts';
import { parameterTexts } from '../src/http/describe.ts';
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
  ['filter[field][operator]', 'Conditions on records, as in the list'],
  ['q', `${parameterTexts.search.en}; words where the model has a [full-text search](../guide/search.md)`],
  ['page', 'Page of groups, from 1; default page size 20'],
  ['per_page', 'Groups per page, 1 to 1,000'],
];

/** The page on groups. */
export const aggregatesPage = (): string =>
  page(
    'Aggregates',
    'Every resource has an aggregate endpoint beside its list: `GET /api/v1/<resource>/aggregate` and `GET /admin/records/<resource>/aggregate`. They count records and compute sums, averages, minimums and maximums by group. Authentication, permissions, rows and fields are those of the list, so an aggregate reveals nothing that the list would not.',
    [
      example,
      table(
        ['parameter', ''],
        parameters.map(([name, text]) => [code(name), text]),
      ),
      'The keys of a group are in the order of `group`, then `count`, then `sum_…`, `avg_…`, `min_…` and `max_…` in the order in which you name the fields. Without `group`, all records form one group. If there are no records, its count is 0 and everything else is null. Null is a group of its own, the first one in ascending order.',
      'At least one of `group`, `count`, `sum`, `avg`, `min` and `max` is required; each accepts up to eight fields. An invalid value returns 400 `invalid_parameter` with the name of the parameter. A field that the caller cannot see in the list returns 400 `unusable_field`, whether or not it exists.',
      'Without `page` and `per_page`, all groups are returned, up to 1,000. More groups return 400 `invalid_parameter` naming `per_page`, so no groups are omitted silently. Pages have `X-Total-Count` (the number of groups) and `Link`, as lists do. `after` is not supported.',
      '## Values',
      table(
        ['field type', 'in `group`', 'periods', 'computed'],
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
        '- A sum of integers is exact. It is a number within ±(2^53−1), and text beyond that, because JSON readers would round it.',
        '- A sum of decimals is an exact text with the digits of the field: `"2500.00"`.',
        '- An average of integers or decimals is the exact sum, divided as IEEE 754 doubles. It is accurate to 15 digits and the same on every database.',
        '- A sum or an average of `number` is a double, returned with 15 digits; terms of both signs reduce the accuracy. A result beyond the range of a double returns 400. Use a decimal or an integer for values that must be exact.',
        '- Sums, averages, minimums and maximums ignore null values. Without other values the result is null.',
        '- The maximum lengths of the text fields in `group`, `min` and `max` must not add up to more than 8 KiB. A text field without a maximum length returns 400.',
      ].join('\n'),
      '## Periods',
      table(
        ['period', 'example', 'fields'],
        Object.entries(spans).map(([name, text]) => [
          code(name),
          code(text),
          name === 'hour' ? '`datetime`' : '`datetime`, `date`',
        ]),
      ),
      'Weeks follow ISO 8601: they begin on Monday, and week 1 of a year contains its first Thursday. `offset` sets the UTC offset for moments (`Z`, `+08:00`, `-03:30`; the plus need not be encoded); it does not apply to dates. A moment that the offset moves out of the years 0001 to 9999 counts as the first or last moment of that range.',
    ].join('\n\n'),
  );
