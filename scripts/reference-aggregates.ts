import { type Bucket, bucketsOf, isGroupable, measuresOf } from '../src/fields/aggregates.ts';
import { fieldKinds, fieldTypes } from '../src/fields/registry.ts';
import { parameterTexts } from '../src/http/describe.ts';
import type { ServiceLocale } from '../src/kernel/messages.ts';
import { code, type PageWords, page, table } from './reference-markdown.ts';

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

interface Words extends PageWords {
  readonly parameter: string;
  /** The meaning of parameters that the API description has no text for, or less of it. */
  readonly filter: string;
  readonly search: string;
  readonly page: string;
  readonly perPage: string;
  readonly notes: readonly string[];
  readonly values: string;
  readonly columns: readonly string[];
  readonly yes: string;
  readonly no: string;
  readonly aboutValues: readonly string[];
  readonly periods: string;
  readonly periodColumns: readonly string[];
  readonly aboutPeriods: string;
}

const words: Readonly<Record<ServiceLocale, Words>> = {
  en: {
    title: 'Aggregates',
    lead: 'Every resource has an aggregate endpoint next to its list: `GET /api/v1/<resource>/aggregate` and `GET /admin/records/<resource>/aggregate`. Authentication, permissions, rows and fields are those of the list.',
    parameter: 'parameter',
    filter: 'Conditions on records, as in the list',
    search: '; words where the model has a [full-text search](../guide/search.md)',
    page: 'Page of groups, from 1; default page size 20',
    perPage: 'Groups per page, 1 to 1,000',
    notes: [
      'Without `group`, all records form one group. If there are no records, its count is 0 and everything else is null. Null is a group of its own, the first one in ascending order.',
      'At least one of `group`, `count`, `sum`, `avg`, `min` and `max` is required; each accepts up to eight fields.',
      'Without `page` and `per_page`, all groups are returned, up to 1,000. More groups return 400 `invalid_parameter`. Pages have `X-Total-Count` (the number of groups) and `Link`.',
    ],
    values: 'Values',
    columns: ['field type', 'in `group`', 'periods', 'computed'],
    yes: 'yes',
    no: 'no',
    aboutValues: [
      'A sum of integers is an exact number within ±(2^53−1), and text beyond that.',
      'A sum of decimals is an exact text with the digits of the field: `"2500.00"`.',
      'An average of integers or decimals is the exact sum, divided as IEEE 754 doubles.',
      'A sum or an average of `number` is a double, returned with 15 digits; terms of both signs reduce the accuracy. A result beyond the range of a double returns 400.',
      'Sums, averages, minimums and maximums ignore null values.',
      'The maximum lengths of the text fields in `group`, `min` and `max` must not add up to more than 8 KiB. A text field without a maximum length returns 400.',
    ],
    periods: 'Periods',
    periodColumns: ['period', 'example'],
    aboutPeriods:
      'Weeks follow ISO 8601. `offset` sets the UTC offset for moments (`Z`, `+08:00`, `-03:30`; the plus need not be encoded); it does not apply to dates. `zone=Europe/Berlin` uses the calendar of a time zone instead, with its summer time. An unknown zone, or a zone beside an offset, returns 422.',
  },
  'zh-CN': {
    title: '汇总',
    lead: '每个资源在列表之外还有汇总接口：`GET /api/v1/<resource>/aggregate` 与 `GET /admin/records/<resource>/aggregate`。认证、权限、记录与字段的范围与列表相同。',
    parameter: '参数',
    filter: '对记录的条件，与列表相同',
    search: '；模型支持[全文检索](../guide/search.zh-CN.md)时为检索词',
    page: '组的页码，从 1 开始；每页默认 20 组',
    perPage: '每页的组数，1 至 1,000',
    notes: [
      '不给出 `group` 时，全部记录为一组；没有记录时，其数量为 0，其余为 null。null 自成一组，升序时排在最前。',
      '`group`、`count`、`sum`、`avg`、`min` 与 `max` 至少给出一个；每个最多八个字段。',
      '不给出 `page` 与 `per_page` 时返回全部的组，最多 1,000 组；超出时返回 400 `invalid_parameter`。分页时带有 `X-Total-Count`（组数）与 `Link`。',
    ],
    values: '值',
    columns: ['字段类型', '可用于 `group`', '时间段', '可计算'],
    yes: '是',
    no: '否',
    aboutValues: [
      '整数之和是精确的：在 `±(2^53−1)` 以内为数字，超出时为文本。',
      '小数之和是精确的文本，位数与字段相同：`"2500.00"`。',
      '整数与小数的平均值由精确之和按 IEEE 754 双精度数相除得出。',
      '`number` 的和与平均值是双精度数，返回 15 位；正负相抵会降低精度。结果超出双精度数的范围时返回 400。',
      '合计、平均值、最小值与最大值忽略 null。',
      '`group`、`min` 与 `max` 中文本字段的最大长度合计不得超过 8 KiB；没有最大长度的文本字段返回 400。',
    ],
    periods: '时间段',
    periodColumns: ['时间段', '示例'],
    aboutPeriods:
      '周按 ISO 8601 计算。`offset` 设定时刻的 UTC 偏移（`Z`、`+08:00`、`-03:30`；加号无须编码），不用于日期。`zone=Europe/Berlin` 改用某个时区的日历，计入夏令时。时区不存在，或与 `offset` 同时给出时返回 422。',
  },
};

const parametersIn = (locale: ServiceLocale): readonly (readonly [string, string])[] => {
  const { filter, search, page: number, perPage } = words[locale];
  const texts = parameterTexts;
  return [
    ['group', texts.group[locale]],
    ['count', texts.count[locale]],
    ['sum', texts.sum[locale]],
    ['avg', texts.avg[locale]],
    ['min', texts.min[locale]],
    ['max', texts.max[locale]],
    ['offset', texts.offset[locale]],
    ['zone', texts.zone[locale]],
    ['sort', texts.groupSort[locale]],
    ['filter[field][operator]', filter],
    ['q', `${texts.search[locale]}${search}`],
    ['page', number],
    ['per_page', perPage],
  ];
};

interface ValueRow {
  readonly kinds: string[];
  readonly cells: readonly string[];
}

/** Field types with the same values in one row. */
const valueRows = ({ yes, no }: Words): readonly (readonly string[])[] => {
  const rows = new Map<string, ValueRow>();
  for (const kind of fieldKinds) {
    const type = fieldTypes[kind];
    const cells = [
      isGroupable(type) ? yes : no,
      bucketsOf(type).map(code).join(' '),
      measuresOf(type).map(code).join(' '),
    ];
    const row: ValueRow = rows.get(cells.join()) ?? { kinds: [], cells };
    row.kinds.push(code(kind));
    rows.set(cells.join(), row);
  }
  return [...rows.values()].map(({ kinds, cells }) => [kinds.join(' '), ...cells]);
};

/** The page on groups. */
export const aggregatesPage = (locale: ServiceLocale): string => {
  const text = words[locale];
  return page(
    text.title,
    text.lead,
    [
      example,
      table(
        [text.parameter, ''],
        parametersIn(locale).map(([name, meaning]) => [code(name), meaning]),
      ),
      ...text.notes,
      `## ${text.values}`,
      table(text.columns, valueRows(text)),
      text.aboutValues.map((line) => `- ${line}`).join('\n'),
      `## ${text.periods}`,
      table(
        text.periodColumns,
        Object.entries(spans).map(([name, value]) => [code(name), code(value)]),
      ),
      text.aboutPeriods,
    ].join('\n\n'),
  );
};
