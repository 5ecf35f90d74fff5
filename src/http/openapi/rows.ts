/** Describes in words which rows an operation reads and writes. */

import { fill, type Locale, labelText, type Translations } from '../../kernel/messages.ts';
import type { Models } from '../../model/models.ts';
import type { Action } from '../../model/resource.ts';
import type { RowReachRule } from '../../model/row-expression.ts';
import { everyName, rowSentence } from '../../model/row-sentences.ts';
import { permissionAction } from '../../policy/decide.ts';
import type { ResourceRule } from '../../policy/rule.ts';
import type { Endpoint } from '../endpoint.ts';

interface Rows {
  /** The records that exist for the caller. */
  readonly read?: string | undefined;
  /** The records among them that the caller may change, and the condition on new ones. */
  readonly write?: string | undefined;
}

/** The conditions on rows for an action, in words; undefined where there are none, and for administrators. */
export const rowsOfAction = (
  { model, action, area }: ResourceRule,
  models: Models,
  locale: Locale,
): Rows | undefined => {
  const { isolation, publicRead, publicOrOwn } = model.rules;
  if (isolation === undefined || area === 'admin') return undefined;
  if (publicRead !== undefined && (action === 'list' || action === 'detail'))
    return publicOrOwn && { read: rowSentence(publicOrOwn.expression, model, everyName(models), locale) };
  if (isolation.byOwner) return undefined;
  const sentence = ({ expression }: RowReachRule): string =>
    rowSentence(expression, model, everyName(models), locale);
  const asked = permissionAction(action);
  return {
    read: asked === 'create' ? undefined : sentence(isolation.read),
    write: asked === 'read' ? undefined : sentence(isolation[asked]),
  };
};

/** The deleted records that callers manage, in words; undefined where the rule is for none. */
export const managedRows = (
  { model, managed }: ResourceRule,
  models: Models,
  locale: Locale,
): string | undefined =>
  managed &&
  model.rules.manage &&
  rowSentence(model.rules.manage.expression, model, everyName(models), locale);

const see = {
  'zh-CN': 'super_admin 与 admin 之外的调用者可见：{read}。',
  en: 'Callers other than super_admin and admin see {read}.',
};
const one = {
  'zh-CN': `${see['zh-CN']}其余对其为 404。`,
  en: `${see.en} Anything else is 404 for them.`,
};

const texts: Readonly<Record<Action, Translations>> = {
  list: see,
  detail: one,
  create: {
    'zh-CN': 'super_admin 与 admin 之外的调用者可创建：{write}。其余为 403。',
    en: 'Callers other than super_admin and admin create {write}. Anything else is 403.',
  },
  update: {
    'zh-CN': `${one['zh-CN']}\n\n其中可修改（修改后仍须符合）：{write}。其余为 403。`,
    en: `${one.en}\n\nOf those they change {write}, before and after the change. Anything else is 403.`,
  },
  destroy: {
    'zh-CN': `${one['zh-CN']}\n\n其中可删除：{write}。其余为 403。`,
    en: `${one.en}\n\nOf those they delete {write}. Anything else is 403.`,
  },
};

/** Texts for one rule that holds for reads and writes. */
const sameTexts: Readonly<Partial<Record<Action, Translations>>> = {
  update: {
    'zh-CN':
      'super_admin 与 admin 之外的调用者可见并可修改：{read}。其余对其为 404；修改后不再符合则为 403。',
    en: 'Callers other than super_admin and admin see and change {read}. Anything else is 404 for them, and a change after which the record is none of these is 403.',
  },
  destroy: {
    'zh-CN': 'super_admin 与 admin 之外的调用者可见并可删除：{read}。其余对其为 404。',
    en: 'Callers other than super_admin and admin see and delete {read}. Anything else is 404 for them.',
  },
};

const managedText: Translations = {
  'zh-CN': 'super_admin 与 admin 之外的调用者可恢复其本可读取的记录中的：{read}。其余对其为 404。',
  en: 'Among the records that they could read, callers other than super_admin and admin can restore only {read}. Anything else is 404 for them.',
};

/** A sentence in a form that can end another one. */
const tail = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

/** The description of an operation's rows; undefined where no condition applies to its callers. */
export const rowWordsOf = ({ policy }: Endpoint, models: Models, locale: Locale): string | undefined => {
  if (policy.kind !== 'resource') return undefined;
  const managed = managedRows(policy, models, locale);
  if (managed !== undefined) return fill(labelText(managedText, locale), { read: tail(managed) });
  const rows = rowsOfAction(policy, models, locale);
  if (rows === undefined) return undefined;
  const { read = '', write = '' } = rows;
  const template = (read === write ? sameTexts[policy.action] : undefined) ?? texts[policy.action];
  return fill(labelText(template, locale), { read: tail(read), write: tail(write) });
};
