/** Paragraphs of the reference page below the options of a field type, in both languages. */
import type { FieldKind } from '../src/fields/registry.ts';
import type { ServiceLocale } from '../src/kernel/messages.ts';

type Remarks = { readonly [Kind in FieldKind]?: readonly string[] };

/** Lines of a list. */
const list = (...lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');

export const fieldRemarks: Readonly<Record<ServiceLocale, Remarks>> = {
  en: {
    decimal: [
      "Hooks get and set a decimal as text. Compute with the exported function `decimal`: `decimal(price).times(quantity).round(2).toString()`. `plus`, `minus` and `times` never round. `round(2)` rounds half away from zero; `round(2, 'half-even')` rounds half to the even digit, and `round(2, 'down')` towards zero. `compare` returns -1, 0 or 1. `toString` has all digits of the scale: `12.50`.",
    ],
    reference: [
      "With `onDelete: 'null'` the version and `updated_at` of the record rise. With `onDelete: 'cascade'` the caller needs the right to delete the referenced record only: the system deletes the others, with their `beforeCommit` and `afterCommit` hooks, in one transaction of [limited size](limits.md#bodies) (40907).",
      'The database itself keeps `same`, whichever code or SQL writes. A start fails while the database lacks it, and the generated migration adds it, unless records break it: it names these. Only references can be named by `same`, not the owner field. To move records that refer to each other, set the reference to null, move both, and set it again.',
    ],
    sequence: [
      list(
        'A create that is refused or rolled back uses no number. A number is never reused, and a restored record keeps its own.',
        'Without `onDelete`, the records of a deleted `per` can share a number with those that never had one; `audit` warns.',
        'If you change the format, the count continues. It starts with 1 where `{year}` is added or removed.',
        "`format: (record) => record.kind === 'credit' ? 'CN-{n:4}' : 'INV-{n:4}'` chooses the text by the values of the new record, after `beforeSave`. All these texts share one count (with `{year}`, one for each year).",
        'Creates of one count wait for one another: keep their hooks and transactions short.',
        'A migration may number older records by SQL. It then also stores the last number of each count in `gatewright_counts`.',
      ),
    ],
  },
  'zh-CN': {
    decimal: [
      "钩子以文本读写小数。计算时使用导出的函数 `decimal`：`decimal(price).times(quantity).round(2).toString()`。`plus`、`minus`、`times` 从不舍入。`round(2)` 四舍五入，`round(2, 'half-even')` 为银行家舍入，`round(2, 'down')` 向零截断。`compare` 返回 -1、0 或 1。`toString` 写出全部小数位：`12.50`。",
    ],
    reference: [
      "使用 `onDelete: 'null'` 时，引用方记录的版本与 `updated_at` 随之更新。使用 `onDelete: 'cascade'` 时，调用者只须有权删除被引用的记录：其余记录由系统删除，其 `beforeCommit` 与 `afterCommit` 钩子照常运行；所有删除在同一个事务中，[数量有限](limits.zh-CN.md#请求体)（40907）。",
      '`same` 由数据库自身保证，无论由哪段代码或 SQL 写入。数据库缺少它时服务不会启动，生成的迁移会添加；若有记录违反，则不添加并指出这些记录。`same` 只能指明引用，不能是所有者字段。要移动互相引用的记录，先将引用置为 null，移动两者，再重新设置。',
    ],
    sequence: [
      list(
        '创建被拒绝或回滚时不占用编号。编号不会重复使用；从回收站恢复的记录保留原编号。',
        '没有设置 `onDelete` 时，`per` 所引用的记录删除后，其编号可能与原本没有该引用的记录重复（`audit` 会给出警告）。',
        '修改格式后继续计数；添加或去掉 `{year}` 时从 1 开始。',
        "`format: (record) => record.kind === 'credit' ? 'CN-{n:4}' : 'INV-{n:4}'` 按新记录的值（`beforeSave` 之后）选择文本。各文本共用一个计数，含 `{year}` 的文本则每年一个计数。",
        '从同一计数取号的创建操作依次等待，因此其钩子和事务应尽量简短。',
        '迁移可以用 SQL 为旧记录编号，同时须把每个计数的最后编号写入 `gatewright_counts`。',
      ),
    ],
  },
};
