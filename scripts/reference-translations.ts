/**
 * The Chinese of texts that the reference takes from doc comments: pairs of the English sentence as the source has it and
 * its translation. A text without a pair fails `npm run reference`, and so does a pair whose text the source has no more.
 */
type Pair = readonly [english: string, chinese: string];

/** Options, members and field types, in the order of the pages. */
export const memberTexts: readonly Pair[] = [
  [
    'Fields by name; a reference `author` becomes the field `author_id`. `id`, `created_at` and `updated_at` are added.',
    '各字段，以名称为键；引用 `author` 的字段名为 `author_id`。另外自动加上 `id`、`created_at` 与 `updated_at`。',
  ],
  [
    'Display name of one record, one text or one per language.',
    '单条记录的显示名称：一个文本，或每种语言一个。',
  ],
  [
    'Display name of several records. Default: the English plural of `label`; in a language other than English, `label`.',
    '多条记录的显示名称。默认为英文 `label` 的复数；其他语言即为 `label`。',
  ],
  [
    "Name of the model's icon in the administration area: `book`, `cart`, `people` …",
    '模型在管理后台的图标名：`book`、`cart`、`people` 等。',
  ],
  [
    'Heading of the model in the menu of the administration area, one text or one per language.',
    '模型在管理后台菜单中所属的标题：一个文本，或每种语言一个。',
  ],
  [
    'Name of a record for people: `{number} · {status}`. Default: the field `name` or `title`, otherwise the first text field.',
    '供人辨认记录的名称：`{number} · {status}`。默认取字段 `name` 或 `title`，否则取第一个文本字段。',
  ],
  [
    'Path and table; derived from the name (`BlogPost` → `blog_posts`) where the plural is regular.',
    '路径与数据表名；模型名的复数形式规则时由其得出（`BlogPost` → `blog_posts`）。',
  ],
  ['Key of a body; derived from the name (`blog_post`).', '请求体的键；由模型名得出（`blog_post`）。'],
  [
    'Fields per view, in the order of the response. `detail` defaults to all fields, `list` and `saved` to those of `detail`, so that restricting one view never shows more in another. With `when`, pairs of a condition and fields, callers other than super_admin and admin see these fields only in records that meet the condition.',
    '各视图的字段，按响应中的顺序。`detail` 默认为全部字段，`list` 与 `saved` 默认与 `detail` 相同，因此收窄一个视图不会让另一个视图多显示字段。`when` 为条件与字段的配对：super_admin 与 admin 以外的调用者仅在符合条件的记录中可见这些字段。',
  ],
  [
    'Check the permission table before create, update and destroy (`writes`) or before reads as well (`all`).',
    '创建、修改、删除前检查权限表（`writes`），或读取前也检查（`all`）。',
  ],
  [
    '`true`: callers other than super_admin and admin see, update and delete their own records only. A condition, or one for each action, with `write` for the writes that have none of their own: they reach the records that meet it. Created by `own`, `member`, `equals`, `via`, `anyOf` and `allOf`.',
    '`true`：super_admin 与 admin 以外的调用者只能查看、修改、删除自己的记录。也可以是一个条件，或每种操作一个条件，其中 `write` 用于没有单独条件的写操作：这些调用者只能访问符合条件的记录。条件由 `own`、`member`、`equals`、`via`、`anyOf` 与 `allOf` 创建。',
  ],
  ["On create the caller becomes the record's owner.", '创建时，调用者成为记录的所有者。'],
  [
    'Fields that only super_admin and admin write; they are ignored in bodies of others. With `{ fields, unless }` others write them too, in records that meet the condition.',
    '只有 super_admin 与 admin 可写的字段，其他人请求体中的这些字段会被忽略。使用 `{ fields, unless }` 时，其他人在符合条件的记录中也可写。',
  ],
  [
    'List and detail are public and show only records with these values; with `orOwn` authenticated callers also read the records that isolation grants them.',
    '列表与详情公开，只返回具有这些值的记录；设置 `orOwn` 后，通过认证的调用者还能读取数据隔离允许的记录。',
  ],
  [
    "Accepted authentication methods, for all actions or for each; default `['jwt']`.",
    "接受的认证方式，所有操作共用或逐个操作指定；默认 `['jwt']`。",
  ],
  [
    'The records of other models that belong to one of these, by the name of the relation, each created by `many`. A reference is a relation by itself: `customer_id` is also the relation `customer`.',
    '属于本模型记录的其他模型的记录，以关联名为键，逐个用 `many` 创建。引用本身就是关联：`customer_id` 同时是关联 `customer`。',
  ],
  [
    'Every version of a record is kept, with its author; `GET …/:id/history` returns them.',
    '保留记录的每个版本及其作者；由 `GET …/:id/history` 返回。',
  ],
  [
    'Each write is sent to subscribers: of `GET …/changes` and of webhooks.',
    '每次写入都发送给订阅者：`GET …/changes` 与 Webhook。',
  ],
  [
    'A deleted record is moved to the trash, invisible to callers; administrators can restore it.',
    '删除的记录移入回收站，调用者不可见；管理员可以恢复。',
  ],
  [
    'Callers other than super_admin and admin who see the trash and restore from it in the API: deleted records they could read that meet the condition. With `events`, callers also create webhooks for the records that meet it. Needs `trash`.',
    'super_admin 与 admin 以外的调用者通过 API 查看回收站并从中恢复的条件：仅限其本来可读且符合条件的已删除记录。启用 `events` 时，调用者还可以为符合条件的记录创建 Webhook。需要 `trash`。',
  ],
  ['Functions that run around a write.', '随写入执行的函数。'],
  [
    'Problems of the application that its hooks throw, for the API description.',
    '应用的钩子会抛出的自定义错误，供接口描述使用。',
  ],
  [
    'Indexes over several fields, in addition to `index` and `unique` of single ones.',
    '跨多个字段的索引；单个字段用 `index` 与 `unique`。',
  ],
  [
    "Sets of fields that are unique in combination, `[['order_id', 'product_id']]`; null is never equal to null. A set of one field is the same as `unique: true` on it. A batch, nested records and an import are judged by their end state.",
    "组合须唯一的字段：`[['order_id', 'product_id']]`；null 与任何值都不相同，包括 null。只有一个字段时等同于该字段的 `unique: true`。批量写入、嵌套记录与导入按最终状态判断。",
  ],
  [
    'Up to four text fields of a full-text search, by falling weight: `q` finds their words, the best match first. Without it `q` finds a part of any text field.',
    '全文检索的文本字段，最多四个，按权重从高到低：`q` 按词查找，最佳匹配在前。未设置时，`q` 查找任一文本字段中的片段。',
  ],
  [
    'Runs after validation and before the transaction. May change `values` and add messages; the result is validated again. An error leads to 500 and saves nothing; a `Problem` becomes the response.',
    '在校验之后、事务之前执行。可以修改 `values` 并添加消息；结果会再次校验。抛出错误时返回 500 且不保存任何内容；抛出 `Problem` 时以其作为响应。',
  ],
  [
    'Runs in the transaction of a create, update or destroy, and again with it after a conflict: it must not have side effects outside its scope. An error rolls back, and the response is as for an error of `beforeSave`.',
    '在创建、修改或删除的事务中执行；事务冲突重试时会再次执行，因此不得有作用域以外的副作用。抛出错误时回滚，响应与 `beforeSave` 出错时相同。',
  ],
  [
    'Runs once a create, update or destroy is durable. An error is logged; the write stays.',
    '创建、修改或删除持久化之后执行。抛出的错误只记入日志，写入仍然有效。',
  ],
  ['The write.', '写入的种类。'],
  ['Id of the updated record; undefined on create.', '被修改记录的 id；创建时为 undefined。'],
  [
    'The stored record, with every field; undefined on create. Others may change it until the transaction begins.',
    '已保存的记录，含全部字段；创建时为 undefined。事务开始之前，其他人仍可能修改它。',
  ],
  [
    'The values to be saved: on create every field that was sent or has a default, on update every field that was sent; each in the form of the response (decimals as text at their scale, times in UTC). May be changed; the result is validated again, restricted fields included.',
    '将要保存的值：创建时为请求给出的和有默认值的字段，修改时为请求给出的字段；形式与响应相同（小数为带固定位数的文本，时间为 UTC）。可以修改；结果会再次校验，包括受限字段。',
  ],
  [
    'Adds a validation message (the whole sentence, in one text or one per language), for a field or for the record as a whole; the record is not saved then.',
    '为某个字段或整条记录添加校验消息（完整的句子，一个文本或每种语言一个）；记录因此不会保存。',
  ],
  [
    'True if this create restores a deleted record from the trash, alone or with another one.',
    '若这次创建是从回收站恢复已删除的记录（单独恢复或随另一条记录恢复），则为 true。',
  ],
  ['Id of the record.', '记录的 id。'],
  [
    'The record with every field before the write; undefined on create.',
    '写入之前的记录，含全部字段；创建时为 undefined。',
  ],
  [
    'The record with every field after the write; undefined on destroy.',
    '写入之后的记录，含全部字段；删除时为 undefined。',
  ],
  [
    'Refuses the write with 422 and this message, the whole sentence in one text or one per language; the transaction is rolled back.',
    '以 422 与此消息（完整的句子，一个文本或每种语言一个）拒绝写入，事务回滚。',
  ],
  [
    'Sets fields of this record as part of the write, restricted ones too: one more statement after the hook, the same version. The values are validated; the row rule holds for them. A destroy has nothing to set.',
    '在本次写入中设置该记录的字段，包括受限字段：钩子之后多执行一条语句，版本不变。值会校验，行规则同样适用。删除时没有可设置的内容。',
  ],
  [
    'The whole record as the API would return it with every field, the owner included; the last state of a deleted one.',
    '完整的记录，形式与 API 返回全部字段时相同，包括所有者；删除时为其最后状态。',
  ],
  [
    'The saved values: on update only the fields that were sent or that a hook set; empty on destroy.',
    '保存的值：修改时只含请求给出或钩子设置的字段；删除时为空。',
  ],
  ['The principal for whom it acts.', '作用域所代表的主体。'],
  [
    "Finds the operations of a model: `records(order)`, or `records('Order')`. Further models only add types.",
    "取得某个模型的操作：`records(order)` 或 `records('Order')`。多传入的模型只用于补充类型。",
  ],
  [
    'Runs work in one transaction: all or nothing, durable when it resolves, rolled back by an error. It may run again after a conflict, so it must not have side effects outside its scope. A nested one joins the outer one. Throws Problem `transaction_timeout` after 5 s (`TRANSACTION_TIMEOUT`), and errors of the work.',
    '在一个事务中执行 work：全部成功或全部回滚，Promise 兑现时已持久化，抛出错误则回滚。冲突后可能再次执行，因此不得有作用域以外的副作用。嵌套的事务并入外层事务。超过 5 秒（`TRANSACTION_TIMEOUT`）抛出 `transaction_timeout`，work 抛出的错误原样抛出。',
  ],
  [
    'A scope without permissions, row rules and restricted fields, which sees every field. Validation, uniqueness, references and hooks apply. The audit log records each of its writes with the reason.',
    '没有权限、行规则与受限字段限制的作用域，可见全部字段。校验、唯一性、引用检查与钩子照常执行。它的每次写入连同理由记入审计日志。',
  ],
  ['Statements written with the tag `sql`.', '用标签 `sql` 书写的语句。'],
  [
    'Name of the database, for statements in which SQLite and PostgreSQL differ.',
    '数据库的名称，供 SQLite 与 PostgreSQL 写法不同的语句使用。',
  ],
  ['Stores background jobs.', '保存后台任务。'],
  [
    'The time of the service, by which it stores times. A test moves it; `new Date()` does not follow.',
    '服务的当前时间，服务以它记录时间。测试可以拨动它；`new Date()` 不会随之改变。',
  ],
  [
    'The matching records, in the detail view. With `include` by pages only.',
    '符合条件的记录，为详情视图。使用 `include` 时必须分页。',
  ],
  ['One page of them, with the data to request the next one.', '其中的一页，附带获取下一页所需的数据。'],
  [
    'The record with this id; undefined where there is none, or it may not be read.',
    '具有此 id 的记录；不存在或无权读取时为 undefined。',
  ],
  ['The record with this id.', '具有此 id 的记录。'],
  [
    'Number of matching records, all of them for a full-text search too.',
    '符合条件的记录数，全文检索时也是全部。',
  ],
  [
    "Records counted and summed up by group: `{ group: ['status', 'created_at:day'], count: true, sum: ['amount'] }`.",
    "按组统计记录的数量、合计等：`{ group: ['status', 'created_at:day'], count: true, sum: ['amount'] }`。",
  ],
  ['Changes the given fields.', '修改给出的字段。'],
  [
    'Conditions, joined by AND. One with the value undefined is an error: ignoring it would match everything.',
    '条件，以 AND 连接。值为 undefined 的条件会报错，因为忽略它会匹配所有记录。',
  ],
  [
    'A text to search for in the text fields; words, where the model has `search`.',
    '在文本字段中查找的文本；模型设置了 `search` 时为检索词。',
  ],
  [
    "Related records: `['customer', 'lines.product']`, each in its model's list view, or with the fields of each, `{ customer: true, lines: ['id', 'quantity'] }`. Unreadable ones are null, or missing from the list.",
    "关联记录：`['customer', 'lines.product']`，各为其模型的列表视图；或逐个指定字段：`{ customer: true, lines: ['id', 'quantity'] }`。无权读取的记录为 null，或不出现在列表中。",
  ],
  [
    "Terms in order: `'-created_at'`, or `['status', '-id']`. Default: by id; for a `q` with the `search` of the model, the best match first.",
    "依次排序的各项：`'-created_at'`，或 `['status', '-id']`。默认按 id；模型设置了 `search` 且给出 `q` 时，最佳匹配在前。",
  ],
  ['Page number, from 1.', '页码，从 1 开始。'],
  [
    'Records of a page: default 20, at most 1,000. Without `page`, `perPage` and `after` all records are returned.',
    '每页的记录数：默认 20，最多 1,000。不给出 `page`、`perPage` 与 `after` 时返回全部记录。',
  ],
  [
    'Instead of `page`: the `next` of the previous page; an empty text starts at the first one.',
    '代替 `page`：上一页的 `next`；空文本表示从第一页开始。',
  ],
  [
    "Total of a page: `'exact'` (default) counts all matching records, `'estimate'` up to 10,000, `'none'` nothing. A page by `after` has none.",
    "页的总数：`'exact'`（默认）统计全部符合条件的记录，`'estimate'` 最多统计到 10,000，`'none'` 不统计。使用 `after` 的页没有总数。",
  ],
  ['Records of the page, in the detail view.', '本页的记录，为详情视图。'],
  [
    "Number of all matching records; undefined for `total: 'none'` and a page by `after`, which count nothing. In the order of a full-text search it counts up to 1,000, or to the first record behind the page.",
    "全部符合条件的记录数；`total: 'none'` 与使用 `after` 的页不统计，为 undefined。全文检索按匹配度排序时，最多统计到 1,000，或统计到本页之后的第一条记录。",
  ],
  [
    'True for an estimate if there are `total` matching records or more.',
    '估计值时，若符合条件的记录为 `total` 条或更多，则为 true。',
  ],
  ['True if matching records follow the page.', '若本页之后还有符合条件的记录，则为 true。'],
  [
    'The value of `after` for the next page; undefined on the last one, and where the order has no cursors.',
    '用作下一页 `after` 的值；最后一页以及不支持游标的排序为 undefined。',
  ],
  [
    'Sends mail: in scopes of the system, and of endpoints with `mail: true`.',
    '发送邮件：仅限系统作用域，以及设有 `mail: true` 的接口的作用域。',
  ],
  [
    'Keeps others from changing the record until the transaction is over. Only inside `transaction`.',
    '事务结束之前不允许其他人修改该记录。只能在 `transaction` 中使用。',
  ],
  [
    'The version that the record must still have (see `versionOf`); default: any.',
    '要求记录仍为此版本（见 `versionOf`）；默认任意版本。',
  ],
  ['The matching users.', '符合条件的用户。'],
  [
    'The user with this id; undefined where there is none, or the caller may not read it.',
    '具有此 id 的用户；不存在或调用者无权读取时为 undefined。',
  ],
  [
    'The user with this username or address, in any spelling that signs in; undefined where there is none.',
    '具有此用户名或邮箱的用户，可登录的任何写法均可；不存在时为 undefined。',
  ],
  [
    'Changes the given values. A new password and `disabled` end all sessions and tokens of the user.',
    '修改给出的值。新密码与 `disabled` 会结束该用户的全部会话与令牌。',
  ],
  [
    'Makes a link by which a user sets a password, for a user with this id or a new one. It works once within 72 hours, and replaces the link before. Only the receiver may see it.',
    '为具有此 id 的用户或新用户生成设置密码的链接。链接 72 小时内有效、只能使用一次，并取代之前的链接。只应让接收者看到它。',
  ],
  ['Ends all sessions and tokens; API keys work no longer.', '结束全部会话与令牌；API 密钥不再有效。'],
  ['Ends all sessions and tokens.', '结束全部会话与令牌。'],
  [
    'Signs the user in without a password or second factor: returns a token of 24 hours, as the login does. Inside a transaction it is valid after the commit only if nothing revokes it.',
    '不经密码与第二重验证为用户登录：与登录接口一样返回 24 小时有效的令牌。在事务中使用时，仅当期间没有被吊销，令牌才在提交后有效。',
  ],
  [
    'Deletes the user with their keys, sessions and everything that was begun; references follow their `onDelete`. Their name and network addresses leave the logs within a minute.',
    '删除用户及其密钥、会话与一切未完成的操作；引用按其 `onDelete` 处理。其名称与网络地址在一分钟内从日志中移除。',
  ],
  ['Unique, in any spelling; no `@`.', '唯一，不区分写法；不含 `@`。'],
  ['Unique, in any spelling.', '唯一，不区分写法。'],
  ['Default: the username.', '默认为用户名。'],
  ['Without a password, the user cannot sign in until one is set.', '没有密码时，用户须先设置密码才能登录。'],
  ["Default: `['viewer']`.", "默认为 `['viewer']`。"],
  ['A disabled user cannot sign in, and their keys do not work.', '停用的用户不能登录，其密钥也无效。'],
  [
    'Until the user has changed the password, every other request is 403 (40302).',
    '用户修改密码之前，其他请求一律返回 403（40302）。',
  ],
  ['All rows.', '全部的行。'],
  ['The first row; undefined where there is none.', '第一行；没有时为 undefined。'],
  [
    'Runs a statement for its effect; returns the number of changed rows.',
    '执行不返回行的语句；返回受影响的行数。',
  ],
  [
    "Returns the id of the job. Throws Problem `invalid_record` where the values violate the rules of the job's input.",
    '返回任务的 id。值违反任务输入的规则时抛出 `invalid_record`。',
  ],
  ['Present, not null and, for texts, not blank.', '必须存在、不为 null；文本不得为空白。'],
  [
    "No two records share the value (null excepted); with `'owner'` no two records of one owner. Texts are compared by their code points: `é` as one and as `e` with an accent are two values, so normalize them in `beforeSave` if they are one to you.",
    "任何两条记录的值都不相同（null 除外）；`'owner'` 表示同一所有者的记录之间不相同。文本按码点比较：`é` 写作一个字符与写作 `e` 加重音符是两个值，若应视为相同，请在 `beforeSave` 中规范化。",
  ],
  [
    'An index for filters and sorts by this field; unique fields and references have one anyway.',
    '供按此字段筛选与排序的索引；唯一字段与引用本来就有索引。',
  ],
  ['Used where the field is absent on create.', '创建时未给出该字段则使用的值。'],
  [
    'Display name of the field, one text or one per language; derived from the name where absent.',
    '字段的显示名称，一个文本或每种语言一个；未给出时由字段名得出。',
  ],
  [
    'Heading under which forms and pages of a record show the field, with the others of its group; one text or one per language. Groups come in the order of their first fields, after the fields without one.',
    '表单与记录页面中该字段所在的分组标题，同组字段排在一起；一个文本或每种语言一个。没有分组的字段在前，各组按其第一个字段的顺序排列。',
  ],
  ['Minimum number of characters; a shorter text is 422.', '最少字符数；更短的文本返回 422。'],
  [
    'A regular expression (flag `u`) that must match somewhere: anchor it with `^` and `$`. It runs only on texts within `max`. One whose matching time can explode on such a text, as `^(a+)+$` does, is refused at start: repeat nothing that can match in two ways, as in `^[a-z]+(-[a-z]+)*$`. Back-references and look-behind are refused.',
    '正则表达式（标志 `u`），须在文本某处匹配：需要整体匹配时加上 `^` 与 `$`。只对不超过 `max` 的文本执行。匹配时间可能爆炸的表达式（如 `^(a+)+$`）在启动时被拒绝：不要重复可用两种方式匹配的内容，应写作 `^[a-z]+(-[a-z]+)*$`。反向引用与后行断言被拒绝。',
  ],
  ['Maximum number of characters; default 255.', '最多字符数；默认 255。'],
  ['Maximum number of characters; default 1,048,576.', '最多字符数；默认 1,048,576。'],
  ['Smallest value; a smaller one is 422.', '最小值；更小的值返回 422。'],
  ['Greatest value; a greater one is 422.', '最大值；更大的值返回 422。'],
  ['Digits after the decimal point, 0 to 8; default 2.', '小数位数，0 至 8；默认 2。'],
  ['Display texts of choices; the choice itself where absent.', '各选项的显示文本；未给出时显示选项本身。'],
  [
    'Colours of choices in the administration area, next to their texts: grey, red, orange, yellow, green, teal, blue, purple, pink.',
    '各选项在管理后台中的颜色，与文本一同显示：grey、red、orange、yellow、green、teal、blue、purple、pink。',
  ],
  [
    'A value that is valid, for the API description and the samples of the documentation page.',
    '一个有效的值，供接口描述与文档页面的示例使用。',
  ],
  ['Maximum number of characters; default 2,048.', '最多字符数；默认 2,048。'],
  [
    "Accepts any existing record, even one that the caller may not read. Without it a body may name only records that the caller could read by the referenced model's own detail endpoint; any other is treated as a missing id.",
    '接受任何存在的记录，即使调用者无权读取。否则请求体只能指定调用者通过被引用模型的详情接口可读的记录，其他记录按 id 不存在处理。',
  ],
  [
    'The consequence for the record when the referenced one is deleted. `restrict`: the deletion is refused (409). `null`: the reference becomes null. `cascade`: the record is deleted too, as by the system: its hooks run, and the audit log records it. Default: `restrict` for required references, `null` for others.',
    '被引用的记录删除时对本记录的影响。`restrict`：拒绝删除（409）。`null`：引用变为 null。`cascade`：本记录以系统身份一同删除，钩子照常执行，并记入审计日志。默认：必填的引用为 `restrict`，其他为 `null`。',
  ],
  [
    "The type of ids: `'integer'` (default), numbers that the database gives, or `'uuid'`, UUIDs of version 7 that the service gives. It is chosen for good: stored records keep their ids.",
    "id 的类型：`'integer'`（默认），由数据库分配的数字；或 `'uuid'`，由服务生成的版本 7 的 UUID。一经选定便不再更改：已有的记录保留其 id。",
  ],
  [
    "The key of the referenced model, where it is another one than `'integer'`.",
    "所指模型的 key，当它不是 `'integer'` 时。",
  ],
  [
    "A required reference that both models have, by its key: `same: 'clinic'` admits only records of the same clinic. Any other is treated as a missing id, also when the record itself moves to another clinic. A record to which others refer in this way cannot move (422).",
    "两个模型都有的必填引用，写键名：`same: 'clinic'` 只接受同一诊所的记录，其他记录按 id 不存在处理；记录自身改到另一诊所时也是如此。被这样引用的记录不能改到另一诊所（422）。",
  ],
  [
    'Fields that everyone who reads the record sees of a referenced `User`, in addition to the id: by `include`, filters and sorts, and as the actor of its history and events. The owner of a membership is also shown as the actor in records of the same tenant.',
    '能读取记录的人可见的被引用 `User` 的字段（id 除外）：用于 `include`、筛选与排序，以及历史与事件中的操作者。成员关系的所有者也在同一租户的记录中显示为操作者。',
  ],
  [
    "Any reference of the model, by its key: the records of each referenced record are numbered by themselves, those without one in one sequence. Updates ignore that reference. Give it `onDelete: 'restrict'` or `'cascade'`.",
    "模型的某个引用，写键名：每条被引用的记录各自编号，没有引用的记录共用一个序列。修改时忽略该引用。请为该引用设置 `onDelete: 'restrict'` 或 `'cascade'`。",
  ],
  [
    'The text of a number, default `{n}`: `{n:5}` has five digits or more, `{year}` is the year in which the record was created. With `{year}` every year starts with 1 again. A function of the new record returns such a text.',
    '编号的格式，默认 `{n}`：`{n:5}` 至少五位，`{year}` 为记录创建的年份。使用 `{year}` 时，每年从 1 重新开始。也可以是函数，按新记录返回这样的文本。',
  ],
  [
    'The time zone in which `{year}` begins, such as `Europe/Berlin`. Default: UTC.',
    '`{year}` 所依据的时区，如 `Europe/Berlin`。默认 UTC。',
  ],
  ['One line of text: a title, a name, an article number.', '单行文本：标题、姓名、货号。'],
  ['Text of any length, over several lines.', '任意长度的多行文本。'],
  [
    'A whole number within ±(2^53−1), which every JSON reader takes exactly.',
    '`±(2^53−1)` 以内的整数，任何 JSON 解析器都能精确读取。',
  ],
  [
    'A measured number: a finite IEEE 754 double. For money use a decimal or an integer. JSON and CSV have it as JavaScript writes it, on both databases: `1`, `0.1`, `1e-7`, `1e+21`, and never `-0`. There is one exception: for some numbers beyond 2^54, PostgreSQL writes more digits in JSON, which denote the same double.',
    '测量值：有限的 IEEE 754 双精度数。金额请用 decimal 或 integer。在两种数据库上，JSON 与 CSV 都按 JavaScript 的写法输出：`1`、`0.1`、`1e-7`、`1e+21`，不会出现 `-0`。唯一的例外：对 2^54 以上的部分数值，PostgreSQL 在 JSON 中输出更多位数，表示的仍是同一个双精度数。',
  ],
  [
    'An exact number with a fixed count of digits after the point, stored as a scaled integer.',
    '小数位数固定的精确数值，以放大后的整数保存。',
  ],
  ['True or false; 1 and 0 in SQLite.', '真或假；在 SQLite 中为 1 与 0。'],
  ['A calendar day, `YYYY-MM-DD`, without a time zone.', '日历中的一天，`YYYY-MM-DD`，不含时区。'],
  [
    'An instant in milliseconds, years 0001 to 9999. Accepted with any ISO 8601 offset, returned in UTC. SQLite stores the returned text, which sorts chronologically.',
    '精确到毫秒的时刻，年份 0001 至 9999。接受任何 ISO 8601 偏移，以 UTC 返回。SQLite 保存返回的文本，其排序即时间顺序。',
  ],
  [
    'A time of day without a date and a time zone: `HH:MM:SS`, accepted without seconds as well.',
    '一天中的时间，不含日期与时区：`HH:MM:SS`，也接受不带秒的写法。',
  ],
  ['One of a few texts that the model lists.', '模型列出的若干文本之一。'],
  [
    'Any JSON value, stored and returned as compact text, with its keys in the order of the body and its numbers as they were sent, also numbers that no double has. Hooks and other code get it as `JSON.parse` reads it. Null is the absent value.',
    '任意 JSON 值，以紧凑文本保存与返回，键的顺序与请求体相同，数字保持原样，包括双精度数无法表示的数字。钩子与其他代码得到 `JSON.parse` 的结果。null 表示没有值。',
  ],
  ['An email address, stored as written.', '邮箱地址，按原样保存。'],
  [
    'A web address, stored as written. Only http and https are accepted: `javascript:`, `mailto:` and all others are 422.',
    '网址，按原样保存。只接受 http 与 https：`javascript:`、`mailto:` 等一律返回 422。',
  ],
  ['A UUID of any version.', '任意版本的 UUID。'],
  [
    'The id of another record, which must exist for the caller. The field `author` has the name and the column `author_id`.',
    '另一条记录的 id，该记录须对调用者存在。字段 `author` 的名称与列名为 `author_id`。',
  ],
  [
    'A number without gaps, as text (`INV-2026-00042`), which the service assigns in the transaction that creates the record. Bodies and hooks do not set it, and it never changes. It is neither `required` nor has it a `default`: records that are older than the field have null.',
    '无间断的编号，为文本（`INV-2026-00042`），由服务在创建记录的事务中分配。请求体与钩子不能设置它，它也不会改变。它不能是 `required`，也没有 `default`：早于该字段的记录为 null。',
  ],
  [
    'Limits of the requests that a caller, a tenant or a network may send, by the path of a model (`orders`) or the method and path of an endpoint (`POST /checkout`, without `/api/v1`); `default` is that of every other endpoint below `/api/v1` but the health check.',
    '按模型路径（`orders`）或接口的方法与路径（`POST /checkout`，不含 `/api/v1`）限制调用者、租户或网段可发送的请求；`default` 为 `/api/v1` 下其余接口（健康检查除外）的限速。',
  ],
  [
    '`false` removes `POST /api/v1/payment`. Payments that were received stay in the administration area.',
    '`false` 移除 `POST /api/v1/payment`；已收到的付款仍可在管理后台查看。',
  ],
  [
    'How the service sends mail. With it users reset forgotten passwords and change their addresses, and invitations are sent. Default: no mail.',
    '发送邮件的方式；启用后用户可以重置密码、修改邮箱，邀请也会发送。默认不发送邮件。',
  ],
  [
    'Users who register themselves, at an address that they verify by mail. Default: `false`.',
    '允许用户自行注册，邮箱经邮件验证；默认 `false`。',
  ],
  [
    'Long sign-ins: with `"remember": true` a sign-in also returns a refresh token, which renews it. Default: a sign-in ends after 24 hours.',
    '长期登录：带有 `"remember": true` 的登录另外返回刷新令牌，用于续期；默认登录在 24 小时后结束。',
  ],
  [
    'Accounts of users: rights over their own account, the way on from the pages of the service, and own pages.',
    '用户账号：用户对自己账号的权限、服务自带的页面最后通往的地址，以及应用自己的页面。',
  ],
  [
    'Providers by which users sign in, made by `oidc({ … })`; the name is part of their paths.',
    '用户可用的身份提供方，由 `oidc({ … })` 定义；名称是其路径的一部分。',
  ],
  [
    'Awaited before a payment is stored; an error refuses the payment with 500.',
    '保存付款之前执行并等待其完成；抛出错误则以 500 拒绝付款。',
  ],
  [
    'Awaited by `start` and `dev` before the first request is accepted, with a scope that acts for the system; an error prevents the start.',
    '`start` 与 `dev` 在接受第一个请求之前执行并等待其完成，作用域以系统身份操作；抛出错误则不启动。',
  ],
  [
    'Awaited by `start` and `dev` once requests and jobs have ended, before the database is closed.',
    '请求与任务结束之后、关闭数据库之前，由 `start` 与 `dev` 执行并等待其完成。',
  ],
  [
    'Name of the application, in one line of 1 to 60 characters: in the administration area, the documentation page, the titles of windows, and mails. Default: `name` of its package.json, without a scope.',
    '应用的名称，单行，1 至 60 个字符：显示在管理后台、文档页面、窗口标题与邮件中。默认为 package.json 的 `name`，不含 scope。',
  ],
  [
    'The environment in which this process runs, such as `staging`, with 1 to 24 characters: a badge beside the name. In titles and mails it follows the name (`Shop (staging)`), except for `production`. Default: none.',
    '进程所在的环境，例如 `staging`，1 至 24 个字符：显示为名称旁的徽标。在标题与邮件中跟在名称之后（`Shop (staging)`），`production` 除外。默认没有。',
  ],
  [
    'Colour of the badge in the form `#b45309`. One that cannot be seen on the light or on the dark page refuses the start: its contrast to both is 3 or more. Default: teal for `production`, amber for every other environment.',
    '徽标的颜色，形如 `#b45309`。在浅色或深色页面上看不清的颜色会使服务拒绝启动：与两者的对比度须不低于 3。默认 `production` 为蓝绿色，其他环境为琥珀色。',
  ],
];

/** Types in words, which pages show as code. */
export const typeTexts: readonly Pair[] = [
  ['{ name: field }', '{ 名称: 字段 }'],
  ['names', '名称'],
  ['names of fields', '字段名'],
  ['names of fields, or { fields, unless: condition }', '字段名，或 { fields, unless: 条件 }'],
  ['names | { name: fields }', '名称 | { 名称: 字段 }'],
  ['lists of names', '名称的列表'],
  ['{ name: many(…) }', '{ 名称: many(…) }'],
  ['condition', '条件'],
  ['conditions', '条件'],
  [
    'boolean | condition | { read?, write?, create?, update?, destroy? }',
    'boolean | 条件 | { read?, write?, create?, update?, destroy? }',
  ],
  ['methods | { action: methods }', '认证方式 | { 操作: 认证方式 }'],
  ['problems of defineProblem', 'defineProblem 的错误'],
  ['record', '记录'],
  ['records', '记录'],
  ['record | undefined', '记录 | undefined'],
  ['values', '值'],
  ['terms', '各项'],
  ['function', '函数'],
];

/** Limits: what is limited, and the response beyond it. */
export const limitTexts: readonly Pair[] = [
  ['text of a search in the administration area', '管理后台的搜索文本'],
  ['ranked and counted matches of a search', '检索中排序并计数的匹配'],
  [
    'follow, those with the words themselves first, of each kind the newest',
    '其后的匹配：含原词的在前，各部分中新记录在前',
  ],
  ['searched characters of a record', '每条记录检索的字符'],
  ['not searched', '不检索'],
  ['words of `q` in a full-text search', '全文检索中 `q` 的词数'],
  [
    'fields of each of `group`, `sum`, `avg`, `min`, `max`',
    '`group`、`sum`、`avg`、`min`、`max` 各自的字段数',
  ],
  ['versions of a page of the history', '历史每页的版本数'],
  ['records counted for `total=estimate`', '`total=estimate` 统计的记录数'],
  ['follow, and `X-Total-Count-Relation` is `gte`', '不再统计，`X-Total-Count-Relation` 为 `gte`'],
  ['filters of a request', '一次请求的筛选条件数'],
  ['query string', '查询字符串'],
  ['value of a filter', '筛选条件的值'],
  ['values of one `in`', '一个 `in` 的值的个数'],
  ['terms of `sort`', '`sort` 的项数'],
  ['relations before the field of a filter or sort', '筛选或排序字段之前的关联层数'],
  ['records that a search for references asks about', '按引用搜索时查询的记录数'],
  ['items of one nested list in a body', '请求体中一个嵌套列表的项数'],
  ['nested records in a body', '请求体中的嵌套记录数'],
  ['levels of nested records', '嵌套记录的层数'],
  ['relations of one `include`', '一个 `include` 的关联数'],
  ['related records of one record', '一条记录的关联记录数'],
  ['a response with related records', '含关联记录的响应'],
  ['nesting of a JSON body', 'JSON 请求体的嵌套层数'],
  ['pipelined requests of a connection', '一个连接上流水线化的请求数'],
  ['the connection is closed', '关闭连接'],
  ['fields of a form', '表单的字段数'],
  ['progress of a body in 30 s, at least', '请求体 30 秒内至少收到'],
  ['requests of a process whose files are on the disk', '一个进程中文件在磁盘上的请求数'],
  ['requests of all anonymous callers whose files are on the disk', '全部匿名调用者文件在磁盘上的请求数'],
  ['requests of one caller whose files are on the disk', '一个调用者文件在磁盘上的请求数'],
  ['records of a batch', '一次批量写入的记录数'],
  ['lines of an import', '一次导入的行数'],
  ['a record of an imported file', '导入文件中的一条记录'],
  ['records that a deletion deletes with it', '一次删除连带删除的记录数'],
  ['references that a deletion follows, one behind the other', '一次删除依次经过的引用数'],
  ['hooks that call one another through their writes', '通过写入相互调用的钩子层数'],
  ['digits of a decimal', '小数的位数'],
  ['an email address', '邮箱地址'],
  ['a choice of an `enum`', '`enum` 的一个选项'],
  ['no start', '不启动'],
  ['nesting of a `json` field', '`json` 字段的嵌套层数'],
  ['a URL', '网址'],
  ['a text without `max`', '未设置 `max` 的文本'],
  ['a name of a model or field', '模型或字段的名称'],
  ['conditions of `views.when`', '`views.when` 的条件数'],
  ['a response of an identity provider', '身份提供方的响应'],
  ['a sign-in at a provider', '通过身份提供方登录的时限'],
  ['entries of the permission table in one request', '一次请求中权限表的条目数'],
  ['open links of one purpose, mailbox and requester', '同一用途、邮箱与请求者的有效链接数'],
  ['a newer one ends the oldest', '新链接使最早的失效'],
  [
    'messages with links of one purpose to a mailbox within 30 min, by one requester',
    '同一请求者 30 分钟内发往一个邮箱的同一用途链接邮件数',
  ],
  ['no further message', '不再发送'],
  [
    'messages with links of one purpose to a mailbox within 30 min, by all requesters',
    '全部请求者 30 分钟内发往一个邮箱的同一用途链接邮件数',
  ],
  ['a person’s name', '人名'],
  ['a sign-in in place of the password', '代替密码的登录'],
  ['roles of a user', '一个用户的角色数'],
  ['saved views of a user', '一个用户保存的视图数'],
  ['a saved view', '一个保存的视图'],
  ['a username', '用户名'],
  ['a token', '令牌'],
  ['a token for the documentation page', '文档页面的令牌'],
  ['the signing secret, at least', '签名密钥，至少'],
  ['an invitation link', '邀请链接'],
  ['a link that was requested by mail', '通过邮件申请的链接'],
  ['the period of failed sign-ins and wrong codes', '统计登录失败与错误验证码的时段'],
  [
    'failed sign-ins to one account from one address per period',
    '每个时段内同一地址对同一账号的登录失败次数',
  ],
  ['failed sign-ins from one address per period', '每个时段内同一地址的登录失败次数'],
  ['wrong codes of two-step verification per period', '每个时段内两步验证的错误验证码次数'],
  ['a password, at least', '密码，至少'],
  ['a password, at most', '密码，最多'],
  ['requests of a limit in a window, and of a quota', '限速在一个时间窗口内的请求数，以及配额'],
  ['no start, 422', '不启动，422'],
  ['the window of a limit', '限速的时间窗口'],
  ['requests of a limit in a second', '限速每秒的请求数'],
  ['time in which a bucket is full again', '令牌桶重新装满的时间'],
  ['a session of the administration area', '管理后台的会话'],
  ['a session of the administration area without a request', '没有请求的管理后台会话'],
  ['between password and second factor', '密码与第二重验证之间的时限'],
  ['difference of a signature’s timestamp', '签名时间戳的偏差'],
  ['overlap of two secrets of a key, an application or a webhook', '密钥、应用或 Webhook 新旧密钥的并存期'],
  ['the one-time code of a sign-in', '登录的一次性代码'],
  ['a used refresh token that returns the same pair again', '已使用的刷新令牌仍返回相同结果'],
  ['the setup of a second factor', '设置第二重验证的时限'],
  ['scopes of an API key, and its networks', 'API 密钥的权限范围数及网段数'],
  ['longest wait that a receiver can ask for', '接收方可要求的最长等待'],
  ['shortened', '缩短'],
  ['streams of `/changes` of one caller in one process', '一个调用者在一个进程中的 `/changes` 事件流数'],
  ['default attempts of a job', '任务的默认尝试次数'],
  ['failed', '失败'],
  ['default timeout of an attempt of a job', '任务每次尝试的默认时限'],
  ['longest `timeout` of a job', '任务 `timeout` 的最大值'],
  ['a job’s `key`', '任务的 `key`'],
  ['subject of a message of the application', '应用邮件的主题'],
  ['text, and HTML, of a message of the application', '应用邮件的文本与 HTML 各自的长度'],
  ['an error', '报错'],
  ['webhooks that a user makes for managed records', '用户为其管理的记录创建的 Webhook 数'],
  ['service accounts of one owner, made by users', '用户创建的服务账号数（每个所有者）'],
  ['deliveries are kept for', '发送记录的保留时间'],
  [
    'test messages and repeated deliveries of a user’s own webhooks in a minute',
    '一分钟内对用户自己的 Webhook 的测试消息与重发次数',
  ],
  ['a webhook’s URL', 'Webhook 的网址'],
  ['an `Idempotency-Key` is kept for', '`Idempotency-Key` 的保留时间'],
  ['events of a page of `/admin/activity`', '`/admin/activity` 每页的事件数'],
  ['failed jobs that one request runs again or deletes', '一次请求重新执行或删除的失败任务数'],
  ['the rest is left', '其余的不处理'],
];
