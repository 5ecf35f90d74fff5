/** Paragraphs of the reference pages of the scope and of hooks, which no doc comment has, in both languages. */
import type { ServiceLocale } from '../src/kernel/messages.ts';

type InBoth = Readonly<Record<ServiceLocale, readonly string[]>>;

/** Below the members of an interface, by its name. */
export const scopeRemarks: Readonly<Record<string, InBoth | undefined>> = {
  Scope: {
    en: [
      'After `HANDLER_TIMEOUT` (30 s) the caller gets 503, and every further call of the scope throws. The scope of a job ends with the `timeout` of the job.',
      'Two things hold up every request of the process: a computation without `await` (give it to a worker thread), and on SQLite a slow statement in a transaction.',
    ],
    'zh-CN': [
      '超过 `HANDLER_TIMEOUT`（30 秒）时调用者得到 503，作用域此后的调用全部抛出错误；任务的作用域在任务的 `timeout` 到期时结束。',
      '有两种情况会让整个进程等待：没有 `await` 的计算（请交给工作线程），以及 SQLite 事务中很慢的语句。',
    ],
  },
  RecordsOf: {
    en: [
      '`records(orderLine, product)` with further models types the included records, their fields, and the paths of filters and sorts.',
      'The query of `aggregate` has the parameters of [Aggregates](aggregates.md): arrays for `group`, `sum`, `avg`, `min`, `max` and `sort`, `count: true`, an object for `filter`, and `perPage`.',
      'A scope that acts for the system also has `forget(id)`. It removes the values of a record, also of a deleted one, as [`gatewright forget`](../guide/erasure.md) does.',
    ],
    'zh-CN': [
      '把其他模型写在后面，`records(orderLine, product)`，所附的记录、其字段以及筛选和排序的路径就都有类型。',
      '`aggregate` 的查询使用[汇总](aggregates.zh-CN.md)的参数：`group`、`sum`、`avg`、`min`、`max` 与 `sort` 为数组，`count: true`，`filter` 为对象，以及 `perPage`。',
      '代表系统的作用域还有 `forget(id)`：与 [`gatewright forget`](../guide/erasure.zh-CN.md) 一样清除一条记录的值，记录可以已被删除。',
    ],
  },
  FindOptions: {
    en: ['Lock in the same order everywhere.'],
    'zh-CN': ['处处按相同的顺序加锁。'],
  },
  ScopeSql: {
    en: [
      'A statement bypasses permissions, validation and hooks. One that breaks a constraint throws `ConstraintError` (`kind`, `columns`). If you do not catch it, the response is 409. Rows have the form of the database:',
      `|  | SQLite | PostgreSQL |
| --- | --- | --- |
| whole numbers, \`count\` | numbers | numbers |
| \`sum\` and \`avg\` of whole numbers, \`numeric\` | numbers | texts; \`cast(… as bigint)\` is a number on both |
| booleans | 1 and 0 | true and false |
| times | \`2026-01-01T08:00:00.000Z\` | \`2026-01-01 08:00:00+00\` |`,
    ],
    'zh-CN': [
      '语句不经过权限、校验和钩子。违反约束的语句抛出 `ConstraintError`（`kind`、`columns`）；不捕获则为 409。行以数据库的形式返回：',
      `|  | SQLite | PostgreSQL |
| --- | --- | --- |
| 整数、\`count\` | 数字 | 数字 |
| 整数的 \`sum\` 与 \`avg\`、\`numeric\` | 数字 | 文本；\`cast(… as bigint)\` 在两者上都是数字 |
| 布尔值 | 1 与 0 | true 与 false |
| 时间 | \`2026-01-01T08:00:00.000Z\` | \`2026-01-01 08:00:00+00\` |`,
    ],
  },
};

/** Below the list of hooks. */
export const hookRemarks: InBoth = {
  en: [
    '- Hooks run for every write except your own SQL, also for writes of hooks.\n- `before` of `beforeSave` may be old by the time of the write; `beforeCommit` sees the locked row.\n- For a record that a cascade deletes, the writer is the system.\n- If the process dies before `afterCommit`, that hook never runs: add a job in `beforeCommit` for work that must happen.\n- `values` have the form of the API: decimals as text at their scale (`"0.10"`), times in UTC, UUIDs in lower case.',
  ],
  'zh-CN': [
    '- 除自己写的 SQL 之外，所有写入都会触发钩子，包括钩子中的写入。\n- `beforeSave` 的 `before` 到写入时可能已经过时；`beforeCommit` 得到的是已锁定的行。\n- 随其他记录级联删除的记录，写入者为系统。\n- 进程若在提交与 `afterCommit` 之间终止，后者就不再执行：必须发生的事情，应由 `beforeCommit` 添加为任务。\n- `values` 是 API 返回时的形式：小数为带固定位数的文本（`"0.10"`），时间为 UTC，UUID 为小写。',
  ],
};
