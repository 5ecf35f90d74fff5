/** The reference page of the parameters that every list accepts. */
import { rankedMatches } from '../src/database/search.ts';
import type { FieldType, FilterOperator } from '../src/fields/field.ts';
import { type FieldKind, fieldKinds, fieldTypes } from '../src/fields/registry.ts';
import { headerTexts, parameterTexts } from '../src/http/describe.ts';
import type { ServiceLocale } from '../src/kernel/messages.ts';
import { plainParameters } from '../src/records/list.ts';
import { code, type PageWords, page, table } from './reference-markdown.ts';

type Texts = Readonly<Record<ServiceLocale, string>>;

const operatorTexts: Readonly<Record<FilterOperator, Texts>> = {
  eq: { en: 'equals; same as `filter[field]=value`', 'zh-CN': '等于；同 `filter[field]=value`' },
  ne: {
    en: 'does not equal; null does not equal any value',
    'zh-CN': '不等于；null 不等于任何值',
  },
  gt: { en: 'greater than', 'zh-CN': '大于' },
  gte: { en: 'greater than or equal to', 'zh-CN': '大于或等于' },
  lt: { en: 'less than', 'zh-CN': '小于' },
  lte: { en: 'less than or equal to', 'zh-CN': '小于或等于' },
  in: {
    en: 'one of the values, comma-separated; `\\,` is a comma inside a value, `\\\\` a backslash',
    'zh-CN': '等于其中之一，以逗号分隔；`\\,` 表示值中的逗号，`\\\\` 表示反斜杠',
  },
  like: {
    en: 'contains the text; case-insensitive for ASCII letters; `%` and `_` are literal',
    'zh-CN': '包含该文本；ASCII 字母不区分大小写；`%` 与 `_` 按原样匹配',
  },
  starts_with: { en: 'begins with the text, case-sensitive', 'zh-CN': '以该文本开头，区分大小写' },
  null: { en: '`true`: has no value; `false`: has a value', 'zh-CN': '`true`：没有值；`false`：有值' },
};

interface Words extends PageWords {
  readonly parameter: string;
  /** Additions to texts of the API description. */
  readonly perPage: string;
  readonly sort: string;
  readonly filter: string;
  readonly search: string;
  readonly cursor: string;
  readonly operators: string;
  readonly operator: string;
  readonly columns: readonly string[];
  readonly yes: string;
  readonly no: string;
  readonly csv: string;
  readonly aboutCsv: string;
  readonly csvRules: readonly string[];
  readonly pagination: string;
  readonly header: string;
  readonly counted: (matches: string) => string;
}

const words: Readonly<Record<ServiceLocale, Words>> = {
  en: {
    title: 'List parameters',
    lead: 'Every list accepts these parameters: resources, `/users`, `/api_keys` and the lists of the administration area. Without `page`, `per_page` and `after`, a list returns all records. An invalid value returns 400, and so does a field that the caller cannot see in the list. [Relations](relations.md) has related records, and filters and sorts by their fields (`filter[customer.country]=DE`).',
    parameter: 'parameter',
    perPage: ', 1 to 1,000',
    sort: '; default `id`, for words of a full-text search the best match; ties are ordered by `id`; null comes first',
    filter: 'Conditions, joined by AND',
    search: '; words and their best matches where the model has a [full-text search](../guide/search.md)',
    cursor:
      'With a cursor, `Link` has `first`, `prev` and `next`. A client that follows them gets every record exactly once, even during writes. A cursor is valid only for its sort.',
    operators: 'Operators',
    operator: 'operator',
    columns: ['field type', 'operators', 'sortable', 'searched by `q`'],
    yes: 'yes',
    no: 'no',
    csv: 'CSV',
    aboutCsv:
      'Every list and every [aggregate](aggregates.md) is returned as CSV if `Accept` prefers `text/csv` to JSON. Records, fields, pages and headers are the same. Errors are always the JSON envelope.',
    csvRules: [
      'The format is RFC 4180 in UTF-8. The first line has the field names.',
      'A null value is empty; an empty text is `""`. Arrays, objects, and all values of a `json` field are JSON text.',
      "The service puts a `'` before text that spreadsheets treat as a formula: that begins with `=`, `+`, `-` or `@`, also in full width, after spaces, and after a line break or a separator (`,` `;` `|`, tab) within a cell. Text that already has one gets a second. Plain numbers (`-12.50`) stay unchanged.",
    ],
    pagination: 'Pagination',
    header: 'header',
    counted: (matches) =>
      `In the order of its best matches, a [full-text search](search.md#order-and-totals) counts up to ${matches} records, or to the first one behind the page if that is further.`,
  },
  'zh-CN': {
    title: '列表参数',
    lead: '所有列表都接受以下参数：资源、`/users`、`/api_keys` 以及管理后台的列表。不给出 `page`、`per_page` 与 `after` 时返回全部记录。值无效，或使用调用者在列表中看不到的字段，均返回 400。关联记录，以及按其字段筛选与排序（`filter[customer.country]=DE`），见[关联](relations.zh-CN.md)。',
    parameter: '参数',
    perPage: '，1 至 1,000',
    sort: '；默认按 `id`，给出全文检索的词时最佳匹配在前；相同的按 `id` 排序；null 在前',
    filter: '条件，以 AND 连接',
    search: '；模型支持[全文检索](../guide/search.zh-CN.md)时为检索词，最佳匹配在前',
    cursor:
      '使用游标时，`Link` 带有 `first`、`prev` 与 `next`。沿这些链接读取的客户端不重不漏地得到每条记录，期间有写入也不受影响。游标只用于生成它的排序。',
    operators: '运算符',
    operator: '运算符',
    columns: ['字段类型', '运算符', '可排序', '由 `q` 搜索'],
    yes: '是',
    no: '否',
    csv: 'CSV',
    aboutCsv:
      '若 `Accept` 优先选择 `text/csv` 而不是 JSON，列表与[汇总](aggregates.zh-CN.md)以 CSV 返回。记录、字段、分页与响应头都相同。错误始终为 JSON 响应结构。',
    csvRules: [
      '格式为 UTF-8 的 RFC 4180：首行为字段名。',
      'null 为空，空文本为 `""`。数组、对象以及 `json` 字段的所有值为 JSON 文本。',
      "电子表格把以 `=`、`+`、`-` 或 `@` 开头的文本当作公式，全角字符、前有空格、位于单元格内换行或分隔符（`,` `;` `|`、制表符）之后也是如此。服务在其前加上 `'`，本来就有的再加一个。普通数字（`-12.50`）不变。在 JSON 数组与对象中，逗号不算这种分隔符。",
    ],
    pagination: '分页',
    header: '响应头',
    counted: (matches) =>
      `[全文检索](search.zh-CN.md#排序与总数)按匹配度排序时，最多统计到 ${matches} 条记录；本页之后的第一条记录更靠后时统计到那一条。`,
  },
};

const parametersIn = (locale: ServiceLocale): readonly (readonly [string, string])[] => {
  const { perPage, sort, filter, search } = words[locale];
  const { page: number, per_page, after, ...further } = plainParameters;
  return [
    ['page', number.text[locale]],
    ['per_page', `${per_page.text[locale]}${perPage}`],
    ['after', after.text[locale]],
    ['sort', `${parameterTexts.sort[locale]}${sort}`],
    ['filter[field][operator]', filter],
    ['q', `${parameterTexts.search[locale]}${search}`],
    ...Object.entries(further).map(([name, { text }]) => [name, text[locale]] as const),
  ];
};

/** Field types that are filtered, sorted and searched in the same way, in one row. */
const kindsByFilters = (): ReadonlyMap<FieldType, readonly FieldKind[]> => {
  const groups = new Map<string, FieldKind[]>();
  for (const kind of fieldKinds) {
    const { operators, sortable, searchable }: FieldType = fieldTypes[kind];
    const key = JSON.stringify([operators, sortable, searchable]);
    groups.set(key, [...(groups.get(key) ?? []), kind]);
  }
  return new Map([...groups.values()].map((kinds) => [fieldTypes[kinds[0] ?? 'string'], kinds]));
};

export const listPage = (locale: ServiceLocale): string => {
  const text = words[locale];
  return page(
    text.title,
    text.lead,
    [
      table(
        [text.parameter, ''],
        parametersIn(locale).map(([name, meaning]) => [code(name), meaning]),
      ),
      text.cursor,
      `## ${text.operators}`,
      table(
        [text.operator, ''],
        Object.entries(operatorTexts).map(([name, meaning]) => [code(name), meaning[locale]]),
      ),
      table(
        text.columns,
        [...kindsByFilters()].map(([{ operators, sortable, searchable }, kinds]) => [
          kinds.map(code).join(' '),
          operators.map(code).join(' '),
          sortable ? text.yes : text.no,
          searchable ? text.yes : text.no,
        ]),
      ),
      `## ${text.csv}`,
      text.aboutCsv,
      text.csvRules.map((rule) => `- ${rule}`).join('\n'),
      `## ${text.pagination}`,
      table(
        [text.header, ''],
        (['X-Total-Count', 'X-Total-Count-Relation', 'Link'] as const).map((name) => [
          code(name),
          headerTexts[name][locale],
        ]),
      ),
      text.counted(rankedMatches.toLocaleString('en')),
    ].join('\n\n'),
  );
};
