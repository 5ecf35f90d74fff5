/** Paragraphs of the reference pages of the scope and of hooks, which no doc comment has, in both languages. */
import type { ServiceLocale } from '../src/kernel/messages.ts';

type InBoth = Readonly<Record<ServiceLocale, readonly string[]>>;

/** Below the members of an interface, by its name. */
export const scopeRemarks: Readonly<Record<string, InBoth | undefined>> = {
  Scope: {
    en: [
      'A call of a scope in a loop does not hold up other requests: after 25 ms the loop waits for its next turn. After `HANDLER_TIMEOUT` (30 s) the caller gets 503, and every further call of the scope throws, so that a loop ends there. The scope of a job ends with the `timeout` of the job.',
      'Two things hold up every request of the process. One is a computation without `await`: give it to a worker thread or to another process. The other one is a single slow statement in a transaction on SQLite, such as a list or an aggregate over a large table: outside of a transaction such statements run in a separate thread.',
    ],
    'zh-CN': [
      '循环调用作用域不会耽误其他请求：循环连续运行 25 毫秒后让出，轮到下一次再继续。超过 `HANDLER_TIMEOUT`（30 秒）时调用者得到 503，作用域此后的调用全部抛出错误，循环随之结束；任务的作用域在任务的 `timeout` 到期时结束。',
      '有两种情况会让整个进程等待。一是没有 `await` 的计算，请交给工作线程或其他进程；二是 SQLite 事务中单条很慢的语句，例如对大表的列表或汇总：在事务之外，这类语句在单独的线程中运行。',
    ],
  },
  RecordsOf: {
    en: [
      'A model knows only the names of the models behind its relations. Pass the other models too: `records(orderLine, product)` types the included records, their fields, and the paths of filters and sorts.',
      'The query of `aggregate` has the parameters of [Aggregates](aggregates.md): arrays for `group`, `sum`, `avg`, `min`, `max` and `sort`, `count: true`, an object for `filter`, and `perPage`.',
      'A scope that acts for the system also has `forget(id)`. It removes the values of a record, which may be deleted already, from its history, events, deliveries and the trash, and within a minute from the files of a SQLite database ([Erase personal data](../guide/erasure.md)).',
    ],
    'zh-CN': [
      '模型知道自己的关联，对关联的另一端则只知道名字。把其他模型写在后面，`records(orderLine, product)`，所附的记录、其字段以及筛选和排序的路径就都有类型。',
      '`aggregate` 的查询使用[汇总](aggregates.zh-CN.md)的参数：`group`、`sum`、`avg`、`min`、`max` 与 `sort` 为数组，`count: true`，`filter` 为对象，以及 `perPage`。',
      '代表系统的作用域还有 `forget(id)`：从历史、事件、投递与回收站中移除一条记录的值，记录可以已被删除；一分钟内也从 SQLite 的数据库文件中移除（[删除个人数据](../guide/erasure.zh-CN.md)）。',
    ],
  },
  FindOptions: {
    en: [
      'Lock in the same order everywhere, so that two transactions never wait for each other in a circle.',
    ],
    'zh-CN': ['处处按相同的顺序加锁，两个事务就不会循环等待。'],
  },
  ScopeSql: {
    en: [
      'A statement bypasses permissions, validation and hooks. One that breaks a constraint throws `ConstraintError` (`kind`, `columns`). If you do not catch it, the response is 409, and the transaction is rolled back. Where no text suits both databases, use `dialect`. Rows have the form of the database, not of the API:',
      `|  | SQLite | PostgreSQL |
| --- | --- | --- |
| whole numbers, \`count\` | numbers | numbers |
| \`sum\` and \`avg\` of whole numbers, \`numeric\` | numbers | texts; \`cast(… as bigint)\` is a number on both |
| booleans | 1 and 0 | true and false |
| times | \`2026-01-01T08:00:00.000Z\` | \`2026-01-01 08:00:00+00\` |`,
    ],
    'zh-CN': [
      '语句不经过权限、校验和钩子。违反约束的语句抛出 `ConstraintError`（`kind`、`columns`）；不捕获则为 409，所在事务不会写入任何内容。如果没有适用于两种数据库的写法，用 `dialect` 区分。行以数据库的形式返回，而不是 API 的形式：',
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
    '- Hooks run for the API, the administration area, endpoints, jobs and other hooks. Only your own SQL bypasses them. Writes of a hook run hooks in turn; at a depth of 16 they end with an error.\n- `before` of `beforeSave` may be old by the time of the write; `beforeCommit` sees the locked row.\n- For a record that a cascade deletes, the writer is the system.\n- If the process dies before `afterCommit`, that hook never runs: add a job in `beforeCommit` for work that must happen.\n- `values` have the form of the API: decimals as text at their scale (`"0.10"`), times in UTC, UUIDs in lower case.',
  ],
  'zh-CN': [
    '- API、管理后台、接口、任务以及其他钩子的写入都会触发钩子，只有自己写的 SQL 不会。钩子中的写入又会触发钩子；嵌套达到 16 层即以错误结束。\n- `beforeSave` 的 `before` 到写入时可能已经过时；`beforeCommit` 得到的是已锁定的行。\n- 随其他记录级联删除的记录，写入者为系统。\n- 进程若在提交与 `afterCommit` 之间终止，后者就不再执行：必须发生的事情，应由 `beforeCommit` 添加为任务。\n- `values` 是 API 返回时的形式：小数为带固定位数的文本（`"0.10"`），时间为 UTC，UUID 为小写。',
  ],
};
