import { authMethods } from '../auth/registry.ts';
import type { Locale } from '../kernel/messages/catalogue.ts';
import type { Label, Translations } from '../kernel/messages/messages.ts';

/** The prose of the description in both languages. Texts of a single endpoint are in the endpoint's file. */

const numerals: Readonly<Record<Locale, readonly string[]>> = {
  'zh-CN': ['零', '一', '两', '三', '四', '五', '六', '七', '八', '九', '十'],
  en: ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'],
};

/** The sentence that lists the methods of authentication, and the further paragraphs of some of them. */
const aboutMethods = (locale: Locale): string[] => {
  const overviews = authMethods.flatMap(({ overview }) => overview ?? []);
  const listed = overviews.map((overview) => overview.listed[locale]);
  const number = numerals[locale][listed.length] ?? String(listed.length);
  return [
    locale === 'en'
      ? `${number} methods of authentication: ${listed.join(', ')}.`
      : `${number}种认证方式：${listed.join('、')}。`,
    ...overviews.flatMap(({ more }) => more?.[locale] ?? []),
  ];
};

const about = {
  'zh-CN': [
    '所有响应均为统一信封 `{"code":0,"message":"…","data":…}`：成功时 `code` 为 0，失败时为 HTTP 状态码 × 100 + 序号，`message` 供人阅读。',
    '每个 GET 也接受 HEAD；每个 PATCH 也接受 PUT。',
  ],
  en: [
    'Every answer is an envelope `{"code":0,"message":"…","data":…}`: `code` is 0 on success, else the HTTP status × 100 + n; `message` is for people.',
    'Every GET answers HEAD as well; every PATCH is taken as PUT too.',
  ],
} as const;

/** Texts of request bodies. */
export const bodyTexts = {
  files: {
    'zh-CN': '任意名称的文件：最多 {files} 个，每个最多 {file} 字节',
    en: 'Files under any name: {files} at most, of {file} bytes at most',
  },
} as const;

/** The introduction. */
export const aboutIn = (locale: Locale): string => {
  const [envelope, methods] = about[locale];
  return [envelope, ...aboutMethods(locale), methods].join('\n\n');
};

/** Tags of the service itself; those of resources are their models. */
export const tagTexts: Readonly<Record<string, Translations>> = {
  Health: { 'zh-CN': '健康检查', en: 'Health' },
  Auth: { 'zh-CN': '登录与账号', en: 'Sign-in' },
  Users: { 'zh-CN': '用户', en: 'Users' },
  'API keys': { 'zh-CN': 'API 密钥', en: 'API keys' },
  Payment: { 'zh-CN': '支付', en: 'Payment' },
  Metadata: { 'zh-CN': '元数据', en: 'Metadata' },
  Application: { 'zh-CN': '应用接口', en: 'Application' },
  Administration: { 'zh-CN': '管理后台', en: 'Administration' },
  Documentation: { 'zh-CN': '文档', en: 'Documentation' },
};

/** Descriptions of the tags. */
export const tagDescriptions: Readonly<Record<string, Translations>> = {
  Health: { 'zh-CN': '服务是否可用，无需认证。', en: 'Whether the service answers; open to anybody.' },
  Auth: {
    'zh-CN': '以账号与密码换取令牌，查看自己，修改密码。',
    en: 'Account and password become a token; who one is; one’s own password.',
  },
  Users: { 'zh-CN': '调用者可见的用户。', en: 'The users that a caller may see.' },
  'API keys': {
    'zh-CN': '自己的 API 密钥：创建、列出、删除。',
    en: 'One’s own API keys: made, listed, deleted.',
  },
  Payment: { 'zh-CN': '应用以请求签名提交的支付。', en: 'Payments that applications sign and send.' },
  Metadata: {
    'zh-CN': '模型的机器可读描述，供前端渲染表单与列表。',
    en: 'Models as machines read them: what forms and lists are drawn from.',
  },
  Application: { 'zh-CN': '应用自己的接口。', en: 'Endpoints of the application’s own.' },
  Administration: {
    'zh-CN': '管理后台所用的接口，仅限 super_admin 与 admin。',
    en: 'What the administration area asks; for super_admin and admin only.',
  },
  Documentation: { 'zh-CN': '本文档与接口描述。', en: 'This documentation and the description behind it.' },
};

/** Description of a model's operations. */
export const modelDescription = {
  'zh-CN': '{label}的查询与写入。',
  en: 'Reading and writing {label}.',
} as const satisfies Translations;

export const parameterTexts = {
  include: {
    'zh-CN':
      '随记录返回的关联记录，逗号分隔，可用 `.` 深入（`lines.product`，最多 3 层、10 个关联；列表须分页）：一条或 null，或按 id 排列的数组。只含调用者经对方自身的详情接口可读的记录；完全无权读取该模型时为 403',
    en: 'Related records in the answer, separated by commas, deeper ones behind a point (`lines.product`; 3 deep, 10 relations at most; of a list only by pages): one record or null, or an array in order of id. Only records that this caller could read by the detail endpoint of their own model; 403 where that is none at all',
  },
  includedFields: {
    'zh-CN':
      '该关联所返回的字段，逗号分隔，取自其详情视图；默认为其列表视图。更深的关联形如 `fields[lines.product]`',
    en: 'Fields of these records, separated by commas, of their detail view; those of their list view unless given. Of deeper ones: `fields[lines.product]`',
  },
  page: {
    'zh-CN': '页码，从 1 起。每页条数默认 20',
    en: 'Page number from 1 on; 20 records a page unless per_page says otherwise',
  },
  perPage: { 'zh-CN': '每页条数', en: 'Records a page' },
  after: {
    'zh-CN':
      '游标，取自 `Link` 响应头的 next 或 prev；空值从头开始，不计总数；与 `page` 互斥；不能用于按无长度上限的文本排序',
    en: 'Cursor from the `next` or `prev` of a `Link` header; without a value it begins at the start, without a total; not with `page`, nor with a sort by texts without a limit',
  },
  sort: {
    'zh-CN': '排序字段，逗号分隔，前缀 `-` 为降序',
    en: 'Fields to sort by, comma-separated, `-` before one for descending',
  },
  search: { 'zh-CN': '在文本字段中查找（包含）', en: 'Contained in a text field' },
  fields: {
    'zh-CN': '只返回这些字段，逗号分隔',
    en: 'Answer these fields only, comma-separated',
  },
  group: {
    'zh-CN': '分组依据，逗号分隔：字段，或其时间段，如 `created_at:day`（键名 `created_at_day`）',
    en: 'What groups go by, comma-separated: fields, or their spans of time as in `created_at:day`, whose key is `created_at_day`',
  },
  count: { 'zh-CN': '每组的记录数：`count`', en: 'Records of each group: `count`' },
  sum: {
    'zh-CN':
      '各字段之和：`sum_<字段>`，精确；整数之和超出 `±(2^53−1)` 时为文本，小数之和为文本，没有值时为 null',
    en: 'Sums of fields: `sum_<field>`, exact; those of decimals are texts, those of integers beyond ±(2^53−1) too; null without values',
  },
  avg: {
    'zh-CN': '各字段的平均值：`avg_<字段>`，双精度数；没有值时为 null',
    en: 'Averages of fields: `avg_<field>`, a double; null without values',
  },
  min: { 'zh-CN': '各字段的最小值：`min_<字段>`', en: 'Least values of fields: `min_<field>`' },
  max: { 'zh-CN': '各字段的最大值：`max_<字段>`', en: 'Greatest values of fields: `max_<field>`' },
  offset: {
    'zh-CN': '时间段所依据的时差，如 `+08:00`；默认 UTC',
    en: 'Offset of the clock that spans of time go by, as in `+08:00`; UTC unless given',
  },
  groupSort: {
    'zh-CN': '排序依据：响应中的键，逗号分隔，前缀 `-` 为降序；默认按分组依据',
    en: 'Keys of the answer to sort by, comma-separated, `-` before one for descending; ties, and groups without it, go by what they are grouped by',
  },
  filter: {
    'zh-CN': '一个值（等于），或按运算符给出的条件：`filter[字段][gte]=…`，同时成立',
    en: 'A value that it equals, or conditions by operator, `filter[field][gte]=…`, all of which hold',
  },
  filterIn: { 'zh-CN': '多个值，逗号分隔', en: 'Values, comma-separated' },
  ifMatch: {
    'zh-CN': '先前响应的 ETag；记录已被修改则为 412',
    en: 'ETag of an earlier answer; 412 where the record has changed since',
  },
  ifNoneMatch: {
    'zh-CN': '先前响应的 ETag；未变则为 304',
    en: 'ETag of an earlier answer; 304 where nothing has changed',
  },
  lastEventId: {
    'zh-CN': '最后收到的事件编号：从其后继续；缺省则自此刻起',
    en: 'Number of the last received event: continues after it; from now on unless given',
  },
  commitPosition: {
    'zh-CN': '先前响应的 X-Commit-Position：至少包含其所写内容；缺省则可能早至一秒前',
    en: 'X-Commit-Position of an earlier answer: what it wrote is seen; what others wrote may be up to a second older',
  },
  idempotencyKey: {
    'zh-CN': '1 至 255 个可见 ASCII 字符；24 小时内相同请求返回首次的响应',
    en: '1 to 255 visible ASCII characters; for 24 hours the same request is answered as it was first',
  },
} as const satisfies Readonly<Record<string, Translations>>;

/** Texts of `include`. */
export const relationText = {
  'zh-CN': '{label}，使用 `include={name}` 时返回',
  en: '{label}, with `include={name}`',
} as const satisfies Translations;

/** Texts of lists whose records have relations. */
export const acrossTexts = {
  one: {
    'zh-CN': '可按关联 {names} 的字段筛选与排序：`filter[{path}]=…`、`sort={path}`。',
    en: 'Filters and sorts go across {names} too: `filter[{path}]=…`, `sort={path}`.',
  },
  oneGrouped: {
    'zh-CN': '可按关联 {names} 的字段筛选：`filter[{path}]=…`。',
    en: 'Filters go across {names} too: `filter[{path}]=…`.',
  },
  many: {
    'zh-CN': '跨 {names} 的筛选 `filter[{path}]=…` 要求其中至少有一条满足。',
    en: 'A filter across {names}, `filter[{path}]=…`, asks whether one of them meets it.',
  },
  all: {
    'zh-CN':
      '字段之前最多三层关联；字段取自对方的详情视图；调用者不可及的记录视同没有，故 `[null]=true` 可找到它。',
    en: 'At most three relations stand before the field, which is one of the detail view there; a record out of reach counts as none, so that `[null]=true` finds it.',
  },
} as const satisfies Readonly<Record<string, Translations>>;

export const headerTexts = {
  'X-Total-Count': {
    'zh-CN': '符合条件的记录总数；使用 `page` 或 `per_page` 时返回',
    en: 'All records that match; with `page` or `per_page`',
  },
  Link: {
    'zh-CN': '其他页的地址（RFC 8288）：first、prev、next、last',
    en: 'Other pages (RFC 8288): first, prev, next, last',
  },
  ETag: { 'zh-CN': '记录的版本', en: 'Version of the record' },
  'WWW-Authenticate': { 'zh-CN': '可用的认证方式', en: 'Methods of authentication that would do' },
  'Retry-After': { 'zh-CN': '多少秒后重试', en: 'Seconds after which to try again' },
  Allow: { 'zh-CN': '该路径支持的方法', en: 'Methods that the path has' },
  'X-Commit-Position': {
    'zh-CN': '写入的标记；两秒内随读取原样送回，任何实例均可见所写内容',
    en: 'Marks a write; sent back with reads for two seconds, so that every instance shows what was written',
  },
  'Set-Cookie': {
    'zh-CN': '同一标记，供浏览器自动送回',
    en: 'The same mark, which browsers send back by themselves',
  },
  'X-Request-Id': { 'zh-CN': '请求编号，与服务日志对应', en: 'Id of the request in the log' },
} as const satisfies Readonly<Record<string, Translations>>;

export const statusTexts: Readonly<Record<number, Translations>> = {
  200: { 'zh-CN': '成功', en: 'Success' },
  201: { 'zh-CN': '已创建', en: 'Created' },
  304: { 'zh-CN': '自该 ETag 以来未变', en: 'Unchanged since that ETag' },
  400: { 'zh-CN': '请求格式错误', en: 'Malformed request' },
  401: { 'zh-CN': '未认证', en: 'Not authenticated' },
  403: { 'zh-CN': '无权限', en: 'Not allowed' },
  404: { 'zh-CN': '不存在', en: 'Not found' },
  405: { 'zh-CN': '不支持该请求方法', en: 'Method not allowed' },
  408: { 'zh-CN': '请求超时', en: 'The request took too long to arrive' },
  409: { 'zh-CN': '冲突', en: 'Conflict' },
  412: { 'zh-CN': '记录已被修改', en: 'The record has changed' },
  413: { 'zh-CN': '请求体过大', en: 'The body is too large' },
  415: { 'zh-CN': '请求体类型不支持', en: 'The body is of another type' },
  422: { 'zh-CN': '校验失败', en: 'Validation failed' },
  429: { 'zh-CN': '请求过于频繁', en: 'Too many requests' },
  431: { 'zh-CN': '请求头过大', en: 'The headers are too large' },
  500: { 'zh-CN': '服务器内部错误', en: 'Internal server error' },
  503: { 'zh-CN': '暂不可用', en: 'Unavailable for now' },
};

export const title: Label = 'Gatewright API';
