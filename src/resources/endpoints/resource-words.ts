/**
 * Sentences of the API description about writes, beyond their schemas: unique values, deletions, the trash. Fields
 * are called as in a body.
 */

import { type Label, labelText } from '../../kernel/messages.ts';
import { deletionOf, type Referrer, referrersOf } from '../../model/deletion.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';

const joinNames = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(' + ');

/** The fields whose values are unique; undefined where none are. */
export const uniqueWords = ({ fields, unique }: ResourceModel): Label | undefined => {
  const single = [...fields.values()].filter((field) => field.unique).map(({ name }) => [name]);
  const all = [...single, ...unique];
  if (all.length === 0) return undefined;
  return {
    'zh-CN': `不可重复：${all.map(joinNames).join('、')}`,
    en: `Must be unique: ${all.map(joinNames).join(', ')}`,
  };
};

const named = (referrers: readonly Referrer[]): string =>
  referrers.map(({ model, field }) => `\`${model.name}.${field.name}\``).join(', ');

/** Sentence of each operation on a record; that of the model stands behind it. */
const actionWords = {
  detail: {
    'zh-CN': '按 id 返回一条记录，附其版本（ETag）。',
    en: 'One record by its ID, with its version (ETag).',
  },
  create: {
    'zh-CN': '新建一条记录；未提交的字段取默认值，否则为空。',
    en: 'Creates a record; omitted fields get their default or null.',
  },
  update: {
    'zh-CN': '只修改提交的字段；`If-Match` 防止覆盖他人的修改。',
    en: 'Changes only the fields that are sent; `If-Match` prevents overwriting the change of another user.',
  },
  destroy: { 'zh-CN': '删除一条记录。', en: 'Deletes a record.' },
} as const satisfies Readonly<Record<string, Label>>;

/** The description of an operation on one record. */
export const recordWords = (action: keyof typeof actionWords, more?: Label): Label => {
  const own = actionWords[action];
  if (more === undefined) return own;
  return {
    'zh-CN': `${own['zh-CN']}\n\n${labelText(more, 'zh-CN')}`,
    en: `${own.en}\n\n${labelText(more, 'en')}`,
  };
};

/** Text about the records that refer to one that is deleted; undefined when none do. */
export const deletionWords = (models: Models, name: string): Label | undefined => {
  const held = referrersOf(models, name, 'restrict');
  const nulled = referrersOf(models, name, 'null');
  const { cascading } = deletionOf(models, name);
  const parts: readonly (readonly [readonly Referrer[], string, string])[] = [
    [cascading, '随之删除', 'Deleted with it'],
    [nulled, '置为空', 'Becomes null'],
    [held, '阻止删除', 'Blocks the deletion'],
  ];
  const used = parts.filter(([referrers]) => referrers.length > 0);
  if (used.length === 0) return undefined;
  return {
    'zh-CN': used.map(([referrers, words]) => `${words}：${named(referrers)}`).join('；'),
    en: used.map(([referrers, , words]) => `${words}: ${named(referrers)}`).join('; '),
  };
};

const keptWords: Label = {
  'zh-CN': '记录移入回收站，可用 `POST …/:id/restore` 恢复',
  en: 'The record moves to the trash; `POST …/:id/restore` restores it',
};

/** The same for those who can restore it: others do not learn that it is still kept. */
export const trashingWords = (models: Models, name: string): Label => {
  const words = deletionWords(models, name);
  return words === undefined
    ? keptWords
    : {
        'zh-CN': `${labelText(keptWords, 'zh-CN')}。${labelText(words, 'zh-CN')}`,
        en: `${labelText(keptWords, 'en')}. ${labelText(words, 'en')}`,
      };
};
