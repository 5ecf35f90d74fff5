/** Paragraphs of the reference page below the options of a field type, in both languages. */
import type { FieldKind } from '../src/fields/registry.ts';
import type { ServiceLocale } from '../src/kernel/messages.ts';

type Remarks = { readonly [Kind in FieldKind]?: readonly string[] };

/** Lines of a list. */
const list = (...lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');

export const fieldRemarks: Readonly<Record<ServiceLocale, Remarks>> = {
  en: {
    decimal: [
      "Hooks get and set a decimal as text. Compute with the exported function `decimal`, not with floating-point numbers: `decimal(price).times(quantity).round(2).toString()`. `plus`, `minus` and `times` never round. `round(2)` rounds half away from zero; `round(2, 'half-even')` rounds half to the even digit, and `round(2, 'down')` towards zero. `compare` returns -1, 0 or 1. `toString` has all digits of the scale: `12.50`.",
    ],
    reference: [
      "With `onDelete: 'null'` the version and `updated_at` of the record rise. With `onDelete: 'cascade'` the caller needs the right to delete the referenced record only: the system deletes the others (`principal.kind` is `system`), runs their `beforeCommit` and `afterCommit` hooks, and writes a line of the audit log for each. All of it is one transaction of at most 1,000 records over 500 levels; larger ones return 40907.",
      'The database itself keeps `same`, by a foreign key over both columns and a unique index on the referenced table, whichever code or SQL writes. A start fails while the database lacks it, and the generated migration adds it. That migration changes nothing and names the table, the column, the number and the ids if records break it. Correct these first. Only references can be named by `same`, not the owner field. To move records that refer to each other, set the reference to null, move both, and set it again.',
    ],
    sequence: [
      list(
        'A create that is refused or rolled back uses no number, on any number of instances. A number is never reused: not after a deletion, and a restored record keeps its own.',
        'Without `onDelete`, the records of a deleted `per` can share a number with those that never had one; `audit` warns.',
        'If you change the format, the count continues. It starts with 1 where `{year}` is added or removed.',
        "`format: (record) => record.kind === 'credit' ? 'CN-{n:4}' : 'INV-{n:4}'` chooses the text by the values of the new record, after `beforeSave`. All these texts share one count, except that those with `{year}` have one for each year.",
        'Creates that take a number from the same count wait for one another. Keep their hooks and transactions short.',
        'A migration may number older records by SQL. It then also stores the last number of each count in `gatewright_counts`.',
      ),
    ],
  },
  'zh-CN': {
    decimal: [
      "钩子以文本读写小数。计算时使用导出的函数 `decimal`，不要使用浮点数：`decimal(price).times(quantity).round(2).toString()`。`plus`、`minus`、`times` 从不舍入。`round(2)` 四舍五入，`round(2, 'half-even')` 为银行家舍入，`round(2, 'down')` 向零截断。`compare` 返回 -1、0 或 1。`toString` 写出全部小数位：`12.50`。",
    ],
    reference: [
      "使用 `onDelete: 'null'` 时，引用方记录的版本与 `updated_at` 随之更新。使用 `onDelete: 'cascade'` 时，调用者只须有权删除被引用的记录：其余记录由系统删除（`principal.kind` 为 `system`），其 `beforeCommit` 与 `afterCommit` 钩子照常运行，每次删除都有审计记录。所有删除在同一个事务中，最多 1,000 条、500 层，超出时返回 40907。",
      '`same` 由数据库自身保证：包含两列的外键，以及被引用表上的唯一索引，无论由哪段代码或 SQL 写入。数据库缺少它时服务不会启动，生成的迁移会添加。若有记录违反，该迁移不作任何更改，并指出表、列、数量与 id：请先改正。`same` 只能指明引用，不能是所有者字段。要移动互相引用的记录，先将引用置为 null，移动两者，再重新设置。',
    ],
    sequence: [
      list(
        '创建被拒绝或回滚时不占用编号，多个实例时也是如此。编号不会重复使用：删除后也不会；从回收站恢复的记录保留原编号。',
        '没有设置 `onDelete` 时，`per` 所引用的记录删除后，其编号可能与原本没有该引用的记录重复（`audit` 会给出警告）。',
        '修改格式后继续计数；添加或去掉 `{year}` 时从 1 开始。',
        "`format: (record) => record.kind === 'credit' ? 'CN-{n:4}' : 'INV-{n:4}'` 按新记录的值（`beforeSave` 之后）选择文本。各文本共用一个计数，含 `{year}` 的文本则每年一个计数。",
        '从同一计数取号的创建操作依次等待，因此其钩子和事务应尽量简短。',
        '迁移可以用 SQL 为旧记录编号，同时须把每个计数的最后编号写入 `gatewright_counts`。',
      ),
    ],
  },
};
