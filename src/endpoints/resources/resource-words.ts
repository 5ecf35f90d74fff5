import { type Label, labelText } from '../../kernel/messages/messages.ts';
import { deletionOf, type Referrer, referrersOf } from '../../model/deletion.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';

/** What the API description says of a write beyond its schemas. Fields are called as in a body. */

const together = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(' + ');

/** Which values are there once; undefined where none are. */
export const uniqueWords = ({ fields, unique }: ResourceModel): Label | undefined => {
  const single = [...fields.values()].filter((field) => field.unique).map(({ name }) => [name]);
  const all = [...single, ...unique];
  if (all.length === 0) return undefined;
  return {
    'zh-CN': `不可重复：${all.map(together).join('、')}`,
    en: `There is only one record for each: ${all.map(together).join(', ')}`,
  };
};

const named = (referrers: readonly Referrer[]): string =>
  referrers.map(({ model, field }) => `\`${model.name}.${field.name}\``).join(', ');

/** What becomes of the records that refer to one that is deleted; undefined where none do. */
export const deletionWords = (models: Models, name: string): Label | undefined => {
  const [held, nulled] = [referrersOf(models, name, 'restrict'), referrersOf(models, name, 'null')];
  const { cascading } = deletionOf(models, name);
  const parts: readonly (readonly [readonly Referrer[], string, string])[] = [
    [cascading, '随之删除', 'Deleted with it'],
    [nulled, '置为空', 'Becomes null'],
    [held, '阻止删除', 'Keeps it'],
  ];
  const told = parts.filter(([referrers]) => referrers.length > 0);
  if (told.length === 0) return undefined;
  return {
    'zh-CN': told.map(([referrers, words]) => `${words}：${named(referrers)}`).join('；'),
    en: told.map(([referrers, , words]) => `${words}: ${named(referrers)}`).join('; '),
  };
};

const keptWords: Label = {
  'zh-CN': '记录移入回收站，可用 `POST …/:id/restore` 恢复',
  en: 'The record goes into the trash, out of which `POST …/:id/restore` brings it back',
};

/** The same for those who can bring it back: others are not told that it is still somewhere. */
export const trashingWords = (models: Models, name: string): Label => {
  const words = deletionWords(models, name);
  return words === undefined
    ? keptWords
    : {
        'zh-CN': `${labelText(keptWords, 'zh-CN')}。${labelText(words, 'zh-CN')}`,
        en: `${labelText(keptWords, 'en')}. ${labelText(words, 'en')}`,
      };
};
