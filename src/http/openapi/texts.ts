/** The texts of the API description in both languages. Texts of a single endpoint are in the endpoint's file. */

import type { AuthMethod } from '../../auth/method.ts';
import { rankedMatches } from '../../database/search.ts';
import { forLocale, type Locale, type ServiceLocale, type Translations } from '../../kernel/messages.ts';

const numerals: Readonly<Record<ServiceLocale, readonly string[]>> = {
  'zh-CN': ['零', '一', '两', '三', '四', '五', '六', '七', '八', '九', '十'],
  en: ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'],
};

/** The sentence that lists the methods of authentication, and the further paragraphs of some of them. */
const aboutMethods = (locale: Locale, offered: readonly AuthMethod[]): string[] => {
  const overviews = offered.flatMap(({ overview }) => overview ?? []);
  const listed = overviews.map((overview) => forLocale(overview.listed, locale));
  const number = forLocale(numerals, locale)[listed.length] ?? String(listed.length);
  return [
    locale === 'zh-CN'
      ? `${number}种认证方式：${listed.join('、')}。`
      : `${number} methods of authentication: ${listed.join(', ')}.`,
    ...overviews.flatMap(({ more }) => (more === undefined ? [] : forLocale(more, locale))),
  ];
};

const about = {
  'zh-CN': [
    '所有响应都采用统一的结构 `{"code":0,"message":"…","data":…}`：成功时 `code` 为 0，失败时为 HTTP 状态码 × 100 + 序号，`message` 供人阅读。',
    '每个 GET 也接受 HEAD；每个 PATCH 也接受 PUT。',
  ],
  en: [
    'Every response is an envelope `{"code":0,"message":"…","data":…}`. `code` is 0 on success, otherwise the HTTP status × 100 + n. `message` is for people.',
    'Every GET endpoint also accepts HEAD, and every PATCH endpoint also accepts PUT.',
  ],
} as const;

/** Texts of request bodies. */
export const bodyTexts = {
  files: {
    'zh-CN': '任意名称的文件：最多 {files} 个，每个最多 {file} 字节',
    en: 'Files under any name: at most {files}, each of at most {file} bytes',
  },
} as const;

/** The introduction. */
export const aboutIn = (locale: Locale, offered: readonly AuthMethod[]): string => {
  const [envelope, methods] = forLocale(about, locale);
  return [envelope, ...aboutMethods(locale, offered), methods].join('\n\n');
};

/** Tags of the service itself; those of resources are their models. */
export const tagTexts: Readonly<Record<string, Translations>> = {
  Health: { 'zh-CN': '健康检查', en: 'Health' },
  Auth: { 'zh-CN': '登录与账号', en: 'Sign-in' },
  Users: { 'zh-CN': '用户', en: 'Users' },
  'API keys': { 'zh-CN': 'API 密钥', en: 'API keys' },
  Payment: { 'zh-CN': '支付', en: 'Payment' },
  Changes: { 'zh-CN': '实时变更', en: 'Changes' },
  Webhooks: { 'zh-CN': '我的 Webhook', en: 'Webhooks' },
  Metadata: { 'zh-CN': '元数据', en: 'Metadata' },
  Application: { 'zh-CN': '应用接口', en: 'Application' },
  Administration: { 'zh-CN': '管理后台', en: 'Administration' },
  Documentation: { 'zh-CN': '文档', en: 'Documentation' },
};

/** Descriptions of the tags. */
export const tagDescriptions: Readonly<Record<string, Translations>> = {
  Health: { 'zh-CN': '服务是否可用，无需认证。', en: 'State of the service, without authentication.' },
  Auth: {
    'zh-CN': '以账号与密码换取令牌，查看自己，修改密码。',
    en: 'Sign in with account and password for a token; read your own user; change your own password.',
  },
  Users: { 'zh-CN': '调用者可见的用户。', en: 'Users visible to the caller.' },
  'API keys': {
    'zh-CN': '自己的 API 密钥：创建、列出、删除。',
    en: 'Create, list and delete your own API keys.',
  },
  Payment: { 'zh-CN': '应用以请求签名提交的支付。', en: 'Payments sent by applications with a signature.' },
  Changes: {
    'zh-CN': '以事件流告知调用者可读记录的变更。',
    en: 'Changes of records that the caller can read, as a stream of events.',
  },
  Webhooks: {
    'zh-CN': '自己的 Webhook：创建、修改、删除，查看发送记录。',
    en: 'Create, change and delete your own webhooks, and read their deliveries.',
  },
  Metadata: {
    'zh-CN': '模型的机器可读描述，供前端渲染表单与列表。',
    en: 'Machine-readable descriptions of models, for rendering forms and lists.',
  },
  Application: { 'zh-CN': '应用自己的接口。', en: 'Endpoints defined by the application.' },
  Administration: {
    'zh-CN': '管理后台所用的接口，仅限 super_admin 与 admin。',
    en: 'Endpoints of the administration area, for super_admin and admin only.',
  },
  Documentation: { 'zh-CN': '本文档与接口描述。', en: 'This documentation and its OpenAPI description.' },
};

/** Description of a model's operations. */
export const modelDescription = {
  'zh-CN': '{label}的查询与写入。',
  en: 'Read and write {label}.',
} as const satisfies Translations;

// Without Intl, whose data would take 15 ms and 7 MB of every start.
const ranked = String(rankedMatches).replace(/\B(?=(?:\d{3})+$)/g, ',');

export const parameterTexts = {
  include: {
    'zh-CN':
      '随记录返回的关联记录，逗号分隔，可用 `.` 深入（`lines.product`，最多 3 层、10 个关联；列表须分页）：一条或 null，或按 id 排列的数组。只含调用者经对方自身的详情接口可读的记录；完全无权读取该模型时为 403',
    en: 'Related records to include, comma-separated; `.` goes deeper (`lines.product`, at most 3 levels and 10 relations; a list must be paginated). Each is one record or null, or an array ordered by id. Only records that the caller can read through the detail endpoint of their model are returned; 403 if the caller has no read access to that model',
  },
  includedFields: {
    'zh-CN':
      '该关联所返回的字段，逗号分隔，取自其详情视图；默认为其列表视图。更深的关联形如 `fields[lines.product]`',
    en: 'Fields of this relation, comma-separated, from its detail view; default: the fields of its list view. For deeper relations: `fields[lines.product]`',
  },
  sort: {
    'zh-CN': '排序字段，逗号分隔，前缀 `-` 为降序',
    en: 'Fields to sort by, comma-separated; prefix `-` for descending order',
  },
  search: { 'zh-CN': '在文本字段中查找（包含）', en: 'Text to search for in the text fields' },
  words: {
    'zh-CN': `全文检索的词，不区分大小写和重音，最后一个词可只写开头；中文按字匹配。所有词都须出现。未给出 \`sort\` 和 \`after\` 时最匹配的在前；总数最多计到 ${ranked}，或该页之后的第一条`,
    en: `Words of a full-text search, without case and accents; the last one may be the beginning of a word. All of them must occur. Without \`sort\` and \`after\` the best match comes first, and the total counts up to ${ranked}, or to the first match behind the page`,
  },
  group: {
    'zh-CN': '分组依据，逗号分隔：字段，或其时间段，如 `created_at:day`（键名 `created_at_day`）',
    en: 'Fields to group by, comma-separated; a time field can be grouped by period, as in `created_at:day` (key `created_at_day`)',
  },
  count: { 'zh-CN': '每组的记录数：`count`', en: 'Number of records per group: `count`' },
  sum: {
    'zh-CN':
      '各字段之和：`sum_<字段>`，精确；整数之和超出 `±(2^53−1)` 时为文本，小数之和为文本，没有值时为 null',
    en: 'Sums of fields: `sum_<field>`, exact. Sums of decimals, and sums of integers outside ±(2^53−1), are texts; null if there are no values',
  },
  avg: {
    'zh-CN': '各字段的平均值：`avg_<字段>`，双精度数；没有值时为 null',
    en: 'Averages of fields: `avg_<field>`, a double; null if there are no values',
  },
  min: { 'zh-CN': '各字段的最小值：`min_<字段>`', en: 'Minimum of each field: `min_<field>`' },
  max: { 'zh-CN': '各字段的最大值：`max_<字段>`', en: 'Maximum of each field: `max_<field>`' },
  offset: {
    'zh-CN': '时间段所依据的时差，如 `+08:00`；默认 UTC',
    en: 'UTC offset of the periods, such as `+08:00`; default UTC',
  },
  zone: {
    'zh-CN': '时间段所依据的时区，如 `Europe/Berlin`，按当地日历并计入夏令时；不能与 `offset` 同时使用',
    en: 'Time zone of the periods, such as `Europe/Berlin`: the local calendar with its summer time; not together with `offset`',
  },
  groupSort: {
    'zh-CN': '排序依据：响应中的键，逗号分隔，前缀 `-` 为降序；默认按分组依据',
    en: 'Keys of the response to sort by, comma-separated; prefix `-` for descending order. Default, and order of ties: the grouping fields',
  },
  filter: {
    'zh-CN': '一个值（等于），或按运算符给出的条件：`filter[字段][gte]=…`，同时成立',
    en: 'A value (equals), or conditions by operator, `filter[field][gte]=…`, joined by AND',
  },
  filterIn: { 'zh-CN': '多个值，逗号分隔', en: 'Values, comma-separated' },
  ifMatch: {
    'zh-CN': '先前响应的 ETag；记录已被修改则为 412',
    en: 'ETag of an earlier response; 412 if the record has changed since',
  },
  ifNoneMatch: {
    'zh-CN': '先前响应的 ETag；未变则为 304',
    en: 'ETag of an earlier response; 304 if nothing has changed',
  },
  lastEventId: {
    'zh-CN': '最后收到的事件编号：从其后继续；缺省则自此刻起',
    en: 'Number of the last event received: the stream continues after it; default: from now on',
  },
  commitPosition: {
    'zh-CN': '先前响应的 X-Commit-Position：至少包含其所写内容；缺省则可能早至一秒前',
    en: 'X-Commit-Position of an earlier response: the read includes that write. Without it, a read can be up to one second behind',
  },
  idempotencyKey: {
    'zh-CN': '1 至 255 个可见 ASCII 字符；24 小时内相同请求返回首次的响应',
    en: '1 to 255 visible ASCII characters; for 24 hours, the same request returns the first response',
  },
  prefer: {
    'zh-CN': '`handling=strict`：请求体含有会被忽略的字段时返回 422（规则 `ignored`），不写入任何内容',
    en: '`handling=strict`: a body with a field that would be ignored is 422 (rule `ignored`), and nothing is written',
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
    en: 'Filter and sort by fields of {names}: `filter[{path}]=…`, `sort={path}`.',
  },
  oneGrouped: {
    'zh-CN': '可按关联 {names} 的字段筛选：`filter[{path}]=…`。',
    en: 'Filter by fields of {names}: `filter[{path}]=…`.',
  },
  many: {
    'zh-CN': '跨 {names} 的筛选 `filter[{path}]=…` 要求其中至少有一条满足。',
    en: 'A filter by fields of {names}, `filter[{path}]=…`, matches if at least one of them matches.',
  },
  all: {
    'zh-CN':
      '字段之前最多三层关联；字段取自对方的详情视图；调用者不可及的记录视同没有，故 `[null]=true` 可找到它。',
    en: 'A path has at most three relations before the field, which must be in the detail view of its model. A record that the caller cannot access counts as missing, so `[null]=true` finds it.',
  },
} as const satisfies Readonly<Record<string, Translations>>;

export const headerTexts = {
  'X-Total-Count': {
    'zh-CN': '符合条件的记录总数；使用 `page` 或 `per_page` 时返回，`total=none` 除外',
    en: 'Number of matching records; returned with `page` or `per_page`, unless `total=none`',
  },
  'X-Total-Count-Relation': {
    'zh-CN': '`total=estimate` 时返回：`eq` 表示总数准确，`gte` 表示至少有这么多',
    en: 'Returned for `total=estimate`: `eq` if the total is exact, `gte` if there are that many records or more',
  },
  Link: {
    'zh-CN': '其他页的地址（RFC 8288）：first、prev、next、last',
    en: 'Links to other pages (RFC 8288): first, prev, next, last',
  },
  ETag: { 'zh-CN': '记录的版本', en: 'Version of the record' },
  'Content-Language': {
    'zh-CN': '响应的语言，由 `Accept-Language` 选择',
    en: 'Language of the response, chosen by `Accept-Language`',
  },
  'WWW-Authenticate': { 'zh-CN': '可用的认证方式', en: 'Accepted methods of authentication' },
  'Retry-After': { 'zh-CN': '多少秒后重试', en: 'Seconds to wait before a retry' },
  RateLimit: {
    'zh-CN':
      '受限时返回：余量（`r`）与恢复到满额的秒数（`t`）；`default` 为接口的限速，`caller` 为其中每个调用者自己的限速，`key` 与 `quota` 为密钥自身的限速与月配额',
    en: 'Returned if a limit applies: requests left (`r`) and seconds until it is full again (`t`). `default` is the limit of the endpoint, `caller` the part of it that each caller may use, `key` and `quota` are those of the API key itself',
  },
  'RateLimit-Policy': {
    'zh-CN': '各限速的请求数（`q`）与时间窗（`w`，秒）',
    en: 'Requests (`q`) and window in seconds (`w`) of each limit',
  },
  Allow: { 'zh-CN': '该路径支持的方法', en: 'Methods that the path supports' },
  'X-Commit-Position': {
    'zh-CN': '写入的标记；两秒内随读取原样送回，任何实例均可见所写内容',
    en: 'Position of a write. Send it with reads for two seconds, so that every instance returns the write',
  },
  'Set-Cookie': {
    'zh-CN': '同一标记，供浏览器自动送回',
    en: 'The same position, which browsers send back automatically',
  },
  'Preference-Applied': {
    'zh-CN': '`handling=strict`：已按请求头 `Prefer` 处理',
    en: '`handling=strict`: the header `Prefer` was applied',
  },
  'X-Request-Id': { 'zh-CN': '请求编号，与服务日志对应', en: 'ID of the request in the log' },
} as const satisfies Readonly<Record<string, Translations>>;

export const statusTexts: Readonly<Record<number, Translations>> = {
  200: { 'zh-CN': '成功', en: 'Success' },
  201: { 'zh-CN': '已创建', en: 'Created' },
  302: { 'zh-CN': '转到 `Location` 的地址', en: 'Leads to the address of `Location`' },
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
  415: { 'zh-CN': '请求体类型不支持', en: 'Unsupported media type' },
  422: { 'zh-CN': '校验失败', en: 'Validation failed' },
  429: { 'zh-CN': '请求过于频繁', en: 'Too many requests' },
  431: { 'zh-CN': '请求头过大', en: 'The headers are too large' },
  500: { 'zh-CN': '服务器内部错误', en: 'Internal server error' },
  503: { 'zh-CN': '暂不可用', en: 'Temporarily unavailable' },
};
