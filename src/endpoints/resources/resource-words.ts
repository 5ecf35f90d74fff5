import type { Label } from '../../kernel/messages/messages.ts';
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
