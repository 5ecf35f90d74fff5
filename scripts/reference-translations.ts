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
    "The table, and columns that are called otherwise than their fields: `{ name: 'order_heads', columns: { total: 'order_total' } }`. Everything but SQL and migrations uses the names of the fields. With `external: true` it is a table of another program, which the service never changes: `schema` is its schema on PostgreSQL, `types` names types of columns that statements have to know, and `readOnly: true` leaves out the endpoints that write.",
    "数据表，以及与字段不同名的列：`{ name: 'order_heads', columns: { total: 'order_total' } }`。除 SQL 与迁移外，一切都使用字段名。`external: true` 表示其他程序的表，服务从不更改其结构：`schema` 为其在 PostgreSQL 上的 schema，`types` 写明语句须知道的列类型，`readOnly: true` 则不提供写入的接口。",
  ],
  [
    'Fields per view, in the order of the response. `detail` defaults to all fields, `list` and `saved` to those of `detail`. `when`: pairs of a condition and fields; callers other than super_admin and admin see these only in records that meet it.',
    '各视图的字段，按响应中的顺序。`detail` 默认为全部字段，`list` 与 `saved` 默认与 `detail` 相同。`when` 为条件与字段的配对：super_admin 与 admin 以外的调用者仅在符合条件的记录中可见这些字段。',
  ],
  [
    'Check the permission table before create, update and destroy (`writes`) or before reads as well (`all`).',
    '创建、修改、删除前检查权限表（`writes`），或读取前也检查（`all`）。',
  ],
  [
    '`true`: callers other than super_admin and admin see, update and delete their own records only. A condition, or one for each action: they reach the records that meet it.',
    '`true`：super_admin 与 admin 以外的调用者只能查看、修改、删除自己的记录。也可以是一个条件，或每种操作一个条件：这些调用者只能访问符合条件的记录。',
  ],
  ["On create the caller becomes the record's owner.", '创建时，调用者成为记录的所有者。'],
  [
    'Fields that only super_admin and admin write. With `{ fields, unless }` others write them too, in records that meet the condition.',
    '只有 super_admin 与 admin 可写的字段。使用 `{ fields, unless }` 时，其他人在符合条件的记录中也可写。',
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
    'The records of other models that belong to one of these, each created by `many`. A reference is a relation by itself.',
    '属于本模型记录的其他模型的记录，逐个用 `many` 创建。引用本身就是关联。',
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
    'Opens the trash in the API to others than super_admin and admin: deleted records that they could read and that meet the condition. With `events`, they also create webhooks for the records that meet it. Needs `trash`.',
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
    "Sets of fields that are unique in combination, `[['order_id', 'product_id']]`; null is never equal to null.",
    "组合须唯一的字段：`[['order_id', 'product_id']]`；null 与任何值都不相同，包括 null。",
  ],
  [
    'Up to four text fields of a full-text search, by falling weight: `q` finds their words, the best match first. Without it `q` finds a part of any text field.',
    '全文检索的文本字段，最多四个，按权重从高到低：`q` 按词查找，最佳匹配在前。未设置时，`q` 查找任一文本字段中的片段。',
  ],
  [
    'Runs after validation and before the transaction. May change `values` and add messages. An error leads to 500; a `Problem` becomes the response.',
    '在校验之后、事务之前执行。可以修改 `values` 并添加消息。抛出错误时返回 500；抛出 `Problem` 时以其作为响应。',
  ],
  [
    'Runs in the transaction of a create, update or destroy, and again with it after a conflict: it must not have side effects outside its scope. An error rolls back.',
    '在创建、修改或删除的事务中执行；事务冲突重试时会再次执行，因此不得有作用域以外的副作用。抛出错误时回滚。',
  ],
  [
    'Runs once a create, update or destroy is durable. An error is logged; the write stays.',
    '创建、修改或删除持久化之后执行。抛出的错误只记入日志，写入仍然有效。',
  ],
  ['The write.', '写入的种类。'],
  ['Id of the updated record; undefined on create.', '被修改记录的 id；创建时为 undefined。'],
  [
    'The stored record, with every field; undefined on create.',
    '已保存的记录，含全部字段；创建时为 undefined。',
  ],
  [
    'The values to be saved: on create every field that was sent or has a default, on update every field that was sent. May be changed; the result is validated again.',
    '将要保存的值：创建时为请求给出的和有默认值的字段，修改时为请求给出的字段。可以修改；结果会再次校验。',
  ],
  [
    'Adds a validation message (a sentence, in one text or one per language), for a field or the record; the record is not saved.',
    '为某个字段或整条记录添加校验消息（完整的句子，一个文本或每种语言一个）；记录因此不会保存。',
  ],
  ['True if this create restores a record from the trash.', '若这次创建是从回收站恢复记录，则为 true。'],
  ['Id of the record.', '记录的 id。'],
  [
    'The record with every field before the write; undefined on create.',
    '写入之前的记录，含全部字段；创建时为 undefined。',
  ],
  [
    'The record with every field after the write; undefined on destroy.',
    '写入之后的记录，含全部字段；删除时为 undefined。',
  ],
  ['Refuses the write with 422 and this message.', '以 422 与此消息拒绝写入。'],
  [
    'Sets fields of this record as part of the write, restricted ones too. The values are validated; the row rule holds for them.',
    '在本次写入中设置该记录的字段，包括受限字段。值会校验，行规则同样适用。',
  ],
  [
    'The record as the API would return it with every field; the last state of a deleted one.',
    '记录，形式与 API 返回全部字段时相同；删除时为其最后状态。',
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
    'Runs work in one transaction, rolled back by an error. It may run again after a conflict: it must not have side effects outside its scope. A nested one joins the outer one. Throws Problem `transaction_timeout` after 5 s (`TRANSACTION_TIMEOUT`), and errors of the work.',
    '在一个事务中执行 work，抛出错误则回滚。冲突后可能再次执行，不得有作用域以外的副作用。嵌套的事务并入外层事务。超过 5 秒（`TRANSACTION_TIMEOUT`）抛出 `transaction_timeout`，work 抛出的错误原样抛出。',
  ],
  [
    'A scope without permissions, row rules and restricted fields, which sees every field. The audit log records its writes with the reason.',
    '没有权限、行规则与受限字段限制的作用域，可见全部字段。它的写入连同理由记入审计日志。',
  ],
  ['Statements written with the tag `sql`.', '用标签 `sql` 书写的语句。'],
  [
    'Name of the database, for statements in which SQLite and PostgreSQL differ.',
    '数据库的名称，供 SQLite 与 PostgreSQL 写法不同的语句使用。',
  ],
  ['Stores background jobs.', '保存后台任务。'],
  ['The time of the service. A test moves it.', '服务的当前时间，测试可以拨动它。'],
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
    'Conditions, joined by AND. One with the value undefined is an error.',
    '条件，以 AND 连接。值为 undefined 的条件会报错。',
  ],
  [
    'A text to search for in the text fields; words, where the model has `search`.',
    '在文本字段中查找的文本；模型设置了 `search` 时为检索词。',
  ],
  [
    "Related records: `['customer', 'lines.product']`, each in its model's list view, or with the fields of each, `{ customer: true, lines: ['id', 'quantity'] }`.",
    "关联记录：`['customer', 'lines.product']`，各为其模型的列表视图；或逐个指定字段：`{ customer: true, lines: ['id', 'quantity'] }`。",
  ],
  [
    "Terms in order: `'-created_at'`, or `['status', '-id']`. Default: by id; for a `q` with the `search` of the model, the best match first.",
    "依次排序的各项：`'-created_at'`，或 `['status', '-id']`。默认按 id；模型设置了 `search` 且给出 `q` 时，最佳匹配在前。",
  ],
  ['Page number, from 1.', '页码，从 1 开始。'],
  ['Records of a page: default 20, at most 1,000.', '每页的记录数：默认 20，最多 1,000。'],
  [
    'Instead of `page`: the `next` of the previous page; an empty text starts at the first one.',
    '代替 `page`：上一页的 `next`；空文本表示从第一页开始。',
  ],
  [
    "Total of a page: `'exact'` (default) counts all matching records, `'estimate'` up to 10,000, `'none'` nothing.",
    "页的总数：`'exact'`（默认）统计全部符合条件的记录，`'estimate'` 最多统计到 10,000，`'none'` 不统计。",
  ],
  ['Records of the page, in the detail view.', '本页的记录，为详情视图。'],
  [
    "Number of all matching records; undefined for `total: 'none'` and a page by `after`. In the order of a full-text search it counts up to 1,000, or to the first record behind the page.",
    "全部符合条件的记录数；`total: 'none'` 与使用 `after` 的页为 undefined。全文检索按匹配度排序时，最多统计到 1,000，或统计到本页之后的第一条记录。",
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
    'Makes an invitation link, for a user with this id or a new one. It works once within 72 hours, and replaces the link before.',
    '为具有此 id 的用户或新用户生成邀请链接。链接 72 小时内有效、只能使用一次，并取代之前的链接。',
  ],
  ['Ends all sessions and tokens; API keys work no longer.', '结束全部会话与令牌；API 密钥不再有效。'],
  ['Ends all sessions and tokens.', '结束全部会话与令牌。'],
  [
    'Signs the user in without a password or second factor: returns a token of 24 hours.',
    '不经密码与第二重验证为用户登录：返回 24 小时有效的令牌。',
  ],
  [
    'Deletes the user with their keys and sessions; references follow their `onDelete`. Their name and network addresses leave the logs within a minute.',
    '删除用户及其密钥与会话；引用按其 `onDelete` 处理。其名称与网络地址在一分钟内从日志中移除。',
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
    "No two records share the value (null excepted); with `'owner'` no two records of one owner. Texts are compared by their code points: normalize them in `beforeSave` if two forms of `é` are one to you.",
    "任何两条记录的值都不相同（null 除外）；`'owner'` 表示同一所有者的记录之间不相同。文本按码点比较：若 `é` 的两种写法应视为相同，请在 `beforeSave` 中规范化。",
  ],
  [
    'The database of an external table provides the value: no body and no hook sets it.',
    '值由外部数据表所在的数据库提供：请求体与钩子都不设置它。',
  ],
  [
    'An index for filters and sorts; unique fields and references have one anyway.',
    '供按此字段筛选与排序的索引；唯一字段与引用本来就有索引。',
  ],
  ['Used where the field is absent on create.', '创建时未给出该字段则使用的值。'],
  [
    'Display name of the field, one text or one per language; derived from the name where absent.',
    '字段的显示名称，一个文本或每种语言一个；未给出时由字段名得出。',
  ],
  [
    'Heading under which forms and pages of a record show the fields of a group, one text or one per language.',
    '表单与记录页面中该字段所在的分组标题，一个文本或每种语言一个。',
  ],
  ['Minimum number of characters; a shorter text is 422.', '最少字符数；更短的文本返回 422。'],
  [
    'A regular expression (flag `u`) that must match somewhere: anchor it with `^` and `$`. One whose matching time can explode, as `^(a+)+$` does, is refused at start, and so are back-references and look-behind.',
    '正则表达式（标志 `u`），须在文本某处匹配：需要整体匹配时加上 `^` 与 `$`。匹配时间可能爆炸的表达式（如 `^(a+)+$`）在启动时被拒绝，反向引用与后行断言也是如此。',
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
    'Accepts any existing record, even one that the caller may not read.',
    '接受任何存在的记录，即使调用者无权读取。',
  ],
  [
    'The consequence for the record when the referenced one is deleted. `restrict`: the deletion is refused (409). `null`: the reference becomes null. `cascade`: the record is deleted too, as by the system. Default: `restrict` for required references, `null` for others.',
    '被引用的记录删除时对本记录的影响。`restrict`：拒绝删除（409）。`null`：引用变为 null。`cascade`：本记录以系统身份一同删除。默认：必填的引用为 `restrict`，其他为 `null`。',
  ],
  [
    "The type of ids: `'integer'` (default), numbers that the database gives; `'uuid'`, UUIDs of version 7 that the service gives; `'bigint'`, numbers of 64 bits as digits in a text; `'text'`, given by the body of a create. It is chosen for good: stored records keep their ids. Integers of external tables may be zero or negative. An external table may have several fields: `['order_id', 'line_no']`; the id is their values joined by commas, each percent-encoded.",
    "id 的类型：`'integer'`（默认），由数据库分配的数字；`'uuid'`，由服务生成的版本 7 的 UUID；`'bigint'`，以文本中的十进制数字表示的 64 位整数；`'text'`，由创建的请求体给出。一经选定便不再更改：已有的记录保留其 id。外部表的整数可为零或负数。外部表还可给出共同标识一条记录的字段：`['order_id', 'line_no']`；id 是它们的值，各自百分号编码，以逗号相连。",
  ],
  [
    "The key of the referenced model, where it is another one than `'integer'`.",
    "所指模型的 key，当它不是 `'integer'` 时。",
  ],
  [
    "A required reference that both models have, by its key: `same: 'clinic'` admits only records of the same clinic. A record to which others refer in this way cannot move (422).",
    "两个模型都有的必填引用，写键名：`same: 'clinic'` 只接受同一诊所的记录。被这样引用的记录不能改到另一诊所（422）。",
  ],
  [
    'Fields that everyone who reads the record sees of a referenced `User`, in addition to the id.',
    '除 id 之外，能读取记录的人可见的被引用 `User` 的字段。',
  ],
  [
    "Any reference of the model, by its key: the records of each referenced record have their own sequence. Updates ignore that reference. Give it `onDelete: 'restrict'` or `'cascade'`.",
    "模型的某个引用，写键名：每条被引用的记录各自编号。修改时忽略该引用。请为该引用设置 `onDelete: 'restrict'` 或 `'cascade'`。",
  ],
  [
    'The text of a number, default `{n}`: `{n:5}` has five digits or more, `{year}` is the year in which the record was created. With `{year}` every year starts with 1 again.',
    '编号的格式，默认 `{n}`：`{n:5}` 至少五位，`{year}` 为记录创建的年份。使用 `{year}` 时，每年从 1 重新开始。',
  ],
  [
    'The time zone in which `{year}` begins, such as `Europe/Berlin`. Default: UTC.',
    '`{year}` 所依据的时区，如 `Europe/Berlin`。默认 UTC。',
  ],
  ['One line of text.', '单行文本。'],
  ['Text of any length, over several lines.', '任意长度的多行文本。'],
  ['A whole number within ±(2^53−1).', '`±(2^53−1)` 以内的整数。'],
  [
    'A measured number: a finite IEEE 754 double. For money use a decimal or an integer.',
    '测量值：有限的 IEEE 754 双精度数。金额请用 decimal 或 integer。',
  ],
  [
    'An exact number with a fixed count of digits after the point, stored as a scaled integer.',
    '小数位数固定的精确数值，以放大后的整数保存。',
  ],
  ['True or false; 1 and 0 in SQLite.', '真或假；在 SQLite 中为 1 与 0。'],
  ['A calendar day, `YYYY-MM-DD`, without a time zone.', '日历中的一天，`YYYY-MM-DD`，不含时区。'],
  [
    'An instant in milliseconds, years 0001 to 9999. Accepted with any ISO 8601 offset, returned in UTC.',
    '精确到毫秒的时刻，年份 0001 至 9999。接受任何 ISO 8601 偏移，以 UTC 返回。',
  ],
  [
    'A time of day without a date and a time zone: `HH:MM:SS`, accepted without seconds as well. With `fraction` a second has parts, `HH:MM:SS.5`.',
    '一天中的时间，不含日期与时区：`HH:MM:SS`，也接受不带秒的写法。带 `fraction` 时可有秒以下的部分：`HH:MM:SS.5`。',
  ],
  [
    'Digits that a second may have after the point, in a column of an external table: 0 to 6, by default 0.',
    '外部表的列中，秒的小数位数：0 至 6，默认为 0。',
  ],
  ['One of a few texts that the model lists.', '模型列出的若干文本之一。'],
  [
    'Any JSON value, stored and returned as compact text, with keys and numbers as they were sent. Null is the absent value.',
    '任意 JSON 值，以紧凑文本保存与返回，键的顺序与数字保持原样。null 表示没有值。',
  ],
  ['An email address, stored as written.', '邮箱地址，按原样保存。'],
  [
    'A web address, stored as written. Only http and https are accepted.',
    '网址，按原样保存。只接受 http 与 https。',
  ],
  ['A UUID of any version.', '任意版本的 UUID。'],
  [
    'The id of another record, which must exist for the caller. The field `author` has the name and the column `author_id`.',
    '另一条记录的 id，该记录须对调用者存在。字段 `author` 的名称与列名为 `author_id`。',
  ],
  [
    'A number without gaps, as text (`INV-2026-00042`), which the service assigns in the transaction that creates the record. It never changes; records that are older than the field have null.',
    '无间断的编号，为文本（`INV-2026-00042`），由服务在创建记录的事务中分配。它不会改变；早于该字段的记录为 null。',
  ],
  [
    'Rate limits by the path of a model (`orders`) or the method and path of an endpoint (`POST /checkout`); `default` is that of every other endpoint.',
    '按模型路径（`orders`）或接口的方法与路径（`POST /checkout`）给出的限速；`default` 为其余接口的限速。',
  ],
  [
    '`false` removes `POST /api/v1/payment`. Payments that were received stay in the administration area.',
    '`false` 移除 `POST /api/v1/payment`；已收到的付款仍可在管理后台查看。',
  ],
  ['How the service sends mail. Default: no mail.', '发送邮件的方式；默认不发送邮件。'],
  [
    'Users who register themselves, at an address that they verify by mail. Default: `false`.',
    '允许用户自行注册，邮箱经邮件验证；默认 `false`。',
  ],
  ['Long sign-ins. Default: a sign-in ends after 24 hours.', '长期登录；默认登录在 24 小时后结束。'],
  [
    'Rights of users over their own account, and addresses of pages.',
    '用户对自己账号的权限，以及页面的地址。',
  ],
  [
    "Prefix of the names of the service's own tables, in place of `gatewright_`: `app_` makes `app_users` and `app_jobs`. With a dot at its end it is a schema of PostgreSQL. At most 24 of `a-z`, `0-9` and `_`, with `_` or `.` at the end. A start with another prefix is refused. Default: none.",
    '服务自身数据表的名称前缀，取代 `gatewright_`：`app_` 得到 `app_users` 与 `app_jobs`；以点结尾时为 PostgreSQL 的 schema。最多 24 个字符：`a-z`、`0-9` 与 `_`，以 `_` 或 `.` 结尾。以另一个前缀启动会被拒绝。默认没有。',
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
    'Awaited before the first request is accepted, with a scope that acts for the system; an error prevents the start.',
    '在接受第一个请求之前执行并等待其完成，作用域以系统身份操作；抛出错误则不启动。',
  ],
  [
    'Awaited once requests and jobs have ended, before the database is closed.',
    '请求与任务结束之后、关闭数据库之前执行并等待其完成。',
  ],
  [
    'Name of the application, in one line of 1 to 60 characters: in pages and mails. Default: `name` of its package.json, without a scope.',
    '应用的名称，单行，1 至 60 个字符：显示在页面与邮件中。默认为 package.json 的 `name`，不含 scope。',
  ],
  [
    'The environment in which this process runs, such as `staging`, with 1 to 24 characters: a badge beside the name. In titles and mails it follows the name (`Shop (staging)`), except for `production`. Default: none.',
    '进程所在的环境，例如 `staging`，1 至 24 个字符：显示为名称旁的徽标。在标题与邮件中跟在名称之后（`Shop (staging)`），`production` 除外。默认没有。',
  ],
  [
    'Colour of the badge in the form `#b45309`. Its contrast to the light and to the dark page is 3 or more. Default: teal for `production`, amber for every other environment.',
    '徽标的颜色，形如 `#b45309`。与浅色和深色页面的对比度须不低于 3。默认 `production` 为蓝绿色，其他环境为琥珀色。',
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
  ['characters of an id that callers give', '调用者给出的 id 的字符数'],
  ['fields of a `key` of several', '由多个字段组成的 `key` 的字段数'],
  ['an email address', '邮箱地址'],
  ['a choice of an `enum`', '`enum` 的一个选项'],
  ['no start', '不启动'],
  ['nesting of a `json` field', '`json` 字段的嵌套层数'],
  ['a URL', '网址'],
  ['a text without `max`', '未设置 `max` 的文本'],
  ['a name of a model or field', '模型或字段的名称'],
  ['a name of a table or column in `table`', '`table` 中数据表或列的名称'],
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
