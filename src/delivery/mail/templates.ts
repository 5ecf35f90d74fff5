/** The standard texts of every message in both languages, as plain text and HTML. */

import { escapeHtml } from '../../kernel/html.ts';
import { forLocale, type Locale, labelText, type ServiceLocale } from '../../kernel/messages.ts';
import type { MailTexts, MailValues } from './mail-options.ts';
import type { AccountChange, MailTemplateName } from './mail-queue.ts';

/** The texts of a message: paragraphs before and after its link. */
interface Wording {
  readonly subject: string;
  readonly before: readonly string[];
  /** Label of the link. */
  readonly action?: string;
  readonly after?: readonly string[];
}

type Words = (values: MailValues) => Wording;

const unasked = {
  'zh-CN': '如果这不是您的操作，请忽略这封邮件，您的账号不会有任何变化。',
  en: 'If you did not request this, ignore this message: nothing changes.',
} as const;

const notMine = {
  'zh-CN': '如果这不是您的操作，请立即联系管理员。',
  en: 'If you did not do this, contact an administrator at once.',
} as const;

const unexpected = {
  'zh-CN':
    '如果这不是您的操作，您也不知情，请立即修改密码，检查账号的 API 密钥、关联账号与两步验证，并联系管理员。',
  en: 'If you did not expect this, change your password at once, check the API keys, linked accounts and two-step verification of your account, and contact an administrator.',
} as const;

/** The changes of `account_changed`: the subject, and the sentence that says what happened. */
const changes: Readonly<
  Record<AccountChange, Readonly<Record<ServiceLocale, (values: MailValues) => readonly [string, string]>>>
> = {
  identity_linked: {
    'zh-CN': ({ service, username, changed }) => [
      `您在 ${service} 的账号已关联 ${changed}`,
      `账号 ${username} 已关联身份提供方 ${changed} 的一个账号，此后可以用它登录。`,
    ],
    en: ({ service, username, changed }) => [
      `Your account for ${service} was linked to ${changed}`,
      `An account of the provider ${changed} was linked to the account ${username}, and can now sign in to it.`,
    ],
  },
  identity_removed: {
    'zh-CN': ({ service, username, changed }) => [
      `您在 ${service} 的账号已解除与 ${changed} 的关联`,
      `账号 ${username} 与身份提供方 ${changed} 的一个账号已解除关联，此后不能再用它登录。`,
    ],
    en: ({ service, username, changed }) => [
      `Your account for ${service} is no longer linked to ${changed}`,
      `An account of the provider ${changed} was removed from the account ${username}, and can no longer sign in to it.`,
    ],
  },
  second_factor_added: {
    'zh-CN': ({ service, username }) => [
      `您在 ${service} 的账号已开启两步验证`,
      `账号 ${username} 已开启两步验证，此后登录时需要第二步验证。`,
    ],
    en: ({ service, username }) => [
      `Two-step verification is on for ${service}`,
      `Two-step verification was turned on for the account ${username}. Signing in now asks for a second step.`,
    ],
  },
  key_created: {
    'zh-CN': ({ service, username, changed }) => [
      `您在 ${service} 的账号有新的 API 密钥`,
      `账号 ${username} 有了新的 API 密钥“${changed}”。它以该账号的身份行事。`,
    ],
    en: ({ service, username, changed }) => [
      `A new API key of your account for ${service}`,
      `The API key "${changed}" was created for the account ${username}, and acts as this account.`,
    ],
  },
};

const accountChanged =
  (locale: ServiceLocale): Words =>
  (values) => {
    if (values.change === '') throw new Error('a message about a change needs the change');
    const [subject, sentence] = changes[values.change][locale](values);
    return { subject, before: [sentence, unexpected[locale]] };
  };

/** The paragraph about access that a new password does not end; none if there is no such access. */
const keptAccess = ({ keys, linkedAccounts }: MailValues, locale: ServiceLocale): readonly string[] => {
  if (keys + linkedAccounts === 0) return [];
  return locale === 'zh-CN'
    ? [
        `新密码不影响以下登录方式，它们仍然有效：API 密钥 ${keys} 个，关联账号 ${linkedAccounts} 个。请逐一检查，删除不需要或不认识的，或请管理员删除。`,
      ]
    : [
        `A new password does not end API keys and linked accounts. Still valid: API keys: ${keys}, linked accounts: ${linkedAccounts}. Check them, and delete those that you do not need or do not know, or ask an administrator to delete them.`,
      ];
};

/** Every message in both languages. One to an address that was not verified contains no text that its sender chose. */
const wordings: Readonly<Record<MailTemplateName, Readonly<Record<ServiceLocale, Words>>>> = {
  password_reset: {
    'zh-CN': ({ service, username, validity }) => ({
      subject: `重置 ${service} 的密码`,
      before: [
        `有人请求重置账号 ${username} 的密码。请通过以下链接设置新密码，链接在${validity}内有效，只能使用一次。`,
      ],
      action: '设置新密码',
      after: [unasked['zh-CN']],
    }),
    en: ({ service, username, validity }) => ({
      subject: `Reset your password for ${service}`,
      before: [
        `A new password was requested for the account ${username}. Choose it with this link, which works once within ${validity}.`,
      ],
      action: 'Choose a new password',
      after: [unasked.en],
    }),
  },
  password_changed: {
    'zh-CN': (values) => ({
      subject: `${values.service} 的密码已修改`,
      before: [
        `账号 ${values.username} 的密码已修改，其他会话均已结束。`,
        ...keptAccess(values, 'zh-CN'),
        notMine['zh-CN'],
      ],
    }),
    en: (values) => ({
      subject: `Your password for ${values.service} was changed`,
      before: [
        `The password of the account ${values.username} was changed, and its other sessions have ended.`,
        ...keptAccess(values, 'en'),
        notMine.en,
      ],
    }),
  },
  email_change: {
    'zh-CN': ({ service, validity }) => ({
      subject: `确认 ${service} 的新邮箱`,
      before: [
        `有人请求将此地址设为 ${service} 账号的邮箱。请通过以下链接确认，链接在${validity}内有效，只能使用一次。`,
      ],
      action: '确认新邮箱',
      after: [unasked['zh-CN']],
    }),
    en: ({ service, validity }) => ({
      subject: `Confirm your new address for ${service}`,
      before: [
        `This address was entered as the new address of an account of ${service}. Confirm it with this link, which works once within ${validity}.`,
      ],
      action: 'Confirm the address',
      after: [unasked.en],
    }),
  },
  email_changed: {
    'zh-CN': ({ service, username }) => ({
      subject: `${service} 的邮箱已修改`,
      before: [`账号 ${username} 的邮箱已修改，此后的邮件将发送到新邮箱。`, notMine['zh-CN']],
    }),
    en: ({ service, username }) => ({
      subject: `Your address for ${service} was changed`,
      before: [
        `The account ${username} has a new email address. Later messages go to that address.`,
        notMine.en,
      ],
    }),
  },
  address_in_use: {
    'zh-CN': ({ service }) => ({
      subject: `您在 ${service} 已有账号`,
      before: [
        `有人在 ${service} 填写了此地址，但此地址已属于一个账号。如果这是您的操作，请直接登录；如果忘记了密码，请重置密码。`,
        unasked['zh-CN'],
      ],
    }),
    en: ({ service }) => ({
      subject: `You already have an account for ${service}`,
      before: [
        `This address was entered at ${service}, but an account has it already. If this was you, sign in, or reset your password.`,
        unasked.en,
      ],
    }),
  },
  registration: {
    'zh-CN': ({ service, validity }) => ({
      subject: `完成 ${service} 的注册`,
      before: [
        `有人使用此地址在 ${service} 注册。请通过以下链接完成注册，链接在${validity}内有效，只能使用一次。`,
      ],
      action: '完成注册',
      after: [unasked['zh-CN']],
    }),
    en: ({ service, validity }) => ({
      subject: `Complete your registration for ${service}`,
      before: [
        `This address was entered to register for ${service}. Complete the registration with this link, which works once within ${validity}.`,
      ],
      action: 'Complete the registration',
      after: [unasked.en],
    }),
  },
  invitation: {
    'zh-CN': ({ service, username, validity }) => ({
      subject: `${service} 邀请您设置密码`,
      before: [
        `您在 ${service} 的账号是 ${username}。请通过以下链接设置密码，链接在${validity}内有效，只能使用一次。`,
      ],
      action: '设置密码',
    }),
    en: ({ service, username, validity }) => ({
      subject: `Set your password for ${service}`,
      before: [
        `Your account for ${service} is ${username}. Set its password with this link, which works once within ${validity}.`,
      ],
      action: 'Set the password',
    }),
  },
  account_changed: { 'zh-CN': accountChanged('zh-CN'), en: accountChanged('en') },
};

/** One line without control characters: nothing that a user has entered can begin a header, or a paragraph. */
export const oneLine = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();

const paragraph = (html: string): string => `<p style="margin:0 0 16px">${html}</p>`;

const button = (url: string, label: string): string =>
  paragraph(
    `<a href="${escapeHtml(url)}" style="display:inline-block;padding:10px 20px;border-radius:6px;background:#2f5d62;color:#ffffff;text-decoration:none">${escapeHtml(label)}</a>`,
  ) + paragraph(`<span style="color:#57606a;word-break:break-all">${escapeHtml(url)}</span>`);

const page = (locale: Locale, content: string): string =>
  `<!doctype html><html lang="${locale}"><body style="margin:0;padding:24px;background:#f6f8fa"><div style="max-width:560px;margin:0 auto;padding:32px;border:1px solid #d1d9e0;border-radius:8px;background:#ffffff;color:#1f2328;font:16px/1.6 system-ui,sans-serif">${content}</div></body></html>`;

/** The paragraphs of a plain text as HTML, in the layout of the service's own messages. */
export const htmlOfParagraphs = (text: string, locale: Locale): string => {
  const paragraphs = text.trim().split(/\n\s*\n/);
  const lines = paragraphs.map((each) => paragraph(escapeHtml(each).replaceAll('\n', '<br>')));
  return page(locale, lines.join(''));
};

/** The service's own texts of a message, plain and HTML. */
export const standardTexts = (values: MailValues): MailTexts => {
  const { template, locale, url } = values;
  const named = { username: oneLine(values.username), name: oneLine(values.name) };
  const shown = { ...values, ...named, changed: oneLine(values.changed) };
  const { subject, before, action = '', after = [] } = forLocale(wordings[template], locale)(shown);
  const greeting = labelText({ 'zh-CN': `${shown.name}，您好：`, en: `Hello ${shown.name},` }, locale);
  const link = url === '' ? [] : [url];
  const opening = shown.name === '' ? before : [greeting, ...before];
  const paragraphs = (texts: readonly string[]): string =>
    texts.map((text) => paragraph(escapeHtml(text))).join('');
  return {
    subject: oneLine(subject),
    text: `${[...opening, ...link, ...after].join('\n\n')}\n`,
    html: page(locale, paragraphs(opening) + (url === '' ? '' : button(url, action)) + paragraphs(after)),
  };
};

/** How long a link is valid, in words. */
export const validityWords = (seconds: number, locale: Locale): string => {
  const [count, one, many] =
    seconds >= 2 * 3_600 ? [seconds / 3_600, 'hour', '小时'] : [seconds / 60, 'minute', '分钟'];
  const whole = Math.round(count);
  return locale === 'zh-CN' ? ` ${whole} ${many}` : `${whole} ${one}${whole === 1 ? '' : 's'}`;
};
