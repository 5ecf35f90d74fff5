import type { Endpoint } from '../http/endpoint.ts';
import { fill, type Locale } from '../kernel/messages/catalogue.ts';
import type { Translations } from '../kernel/messages/messages.ts';
import type { Models } from '../model/models.ts';
import type { Action } from '../model/resource.ts';
import { everyName, isolationSentences } from '../model/row-sentences.ts';
import type { ResourceRule } from '../policy/rule.ts';

interface Rows {
  /** Which records exist for the caller. */
  readonly read?: string;
  /** Which of them the caller changes, and what a new one must be. */
  readonly write?: string;
}

const directions: Readonly<Record<Action, readonly ('read' | 'write')[]>> = {
  list: ['read'],
  detail: ['read'],
  create: ['write'],
  update: ['read', 'write'],
  destroy: ['read', 'write'],
};

/** What conditions on rows say of an action; undefined where there are none, and for administrators, whom none binds. */
export const rowsOfAction = (
  { model, action, area }: ResourceRule,
  models: Models,
  locale: Locale,
): Rows | undefined => {
  const { isolation, publicRead } = model.rules;
  if (isolation === undefined || isolation.byOwner || area === 'admin') return undefined;
  if (publicRead !== undefined && (action === 'list' || action === 'detail')) return undefined;
  const sentences = isolationSentences(isolation, model, everyName(models), locale);
  return Object.fromEntries(directions[action].map((direction) => [direction, sentences[direction]]));
};

const texts = {
  list: {
    'zh-CN': '对 super_admin 与 admin 之外的调用者，列表仅含以下记录。{read}',
    en: 'Callers other than super_admin and admin are answered these. {read}',
  },
  detail: {
    'zh-CN': '对 super_admin 与 admin 之外的调用者，仅以下记录存在，其余为 404。{read}',
    en: 'For callers other than super_admin and admin these exist, and the rest is 404. {read}',
  },
  create: {
    'zh-CN': 'super_admin 与 admin 之外的调用者仅可创建以下记录，否则为 403。{write}',
    en: 'Callers other than super_admin and admin create these, and are refused others by 403. {write}',
  },
  update: {
    'zh-CN':
      '对 super_admin 与 admin 之外的调用者，仅以下记录存在，其余为 404。{read}\n\n其中仅以下记录可修改，修改后也须仍然满足，否则为 403。{write}',
    en: 'For callers other than super_admin and admin these exist, and the rest is 404. {read}\n\nOf those they change these, which they must still be afterwards, else 403. {write}',
  },
  destroy: {
    'zh-CN':
      '对 super_admin 与 admin 之外的调用者，仅以下记录存在，其余为 404。{read}\n\n其中仅以下记录可删除，否则为 403。{write}',
    en: 'For callers other than super_admin and admin these exist, and the rest is 404. {read}\n\nOf those they delete these, else 403. {write}',
  },
} as const satisfies Readonly<Record<Action, Translations>>;

/** Where one rule stands for both, it is said once. */
const sameTexts: Readonly<Partial<Record<Action, Translations>>> = {
  update: {
    'zh-CN':
      '对 super_admin 与 admin 之外的调用者，仅以下记录存在，其余为 404；修改后也须仍然满足，否则为 403。{read}',
    en: 'For callers other than super_admin and admin these exist, and the rest is 404; an update after which the record is none of them is 403. {read}',
  },
  destroy: texts.detail,
};

/** What the description of an operation says of rows; undefined where no condition binds its callers. */
export const rowWordsOf = ({ policy }: Endpoint, models: Models, locale: Locale): string | undefined => {
  if (policy.kind !== 'resource') return undefined;
  const rows = rowsOfAction(policy, models, locale);
  if (rows === undefined) return undefined;
  const { read = '', write = '' } = rows;
  const template = (read === write ? sameTexts[policy.action] : undefined) ?? texts[policy.action];
  return fill(template[locale], { read, write });
};
