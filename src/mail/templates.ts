import type { Locale, ServiceLocale } from '../kernel/messages/catalogue.ts';
import { forLocale, labelText } from '../kernel/messages/messages.ts';
import type { MailTemplateName } from '../service/mail/mail-queue.ts';
import type { MailTexts, MailValues } from './options.ts';

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
    'zh-CN': ({ service, username }) => ({
      subject: `${service} 的密码已修改`,
      before: [`账号 ${username} 的密码已修改，其他会话均已结束。`, notMine['zh-CN']],
    }),
    en: ({ service, username }) => ({
      subject: `Your password for ${service} was changed`,
      before: [
        `The password of the account ${username} was changed, and its other sessions have ended.`,
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
};

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] ?? '');

/** One line without control characters: nothing that a user has entered can begin a header, or a paragraph. */
const oneLine = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();

const paragraph = (html: string): string => `<p style="margin:0 0 16px">${html}</p>`;

const button = (url: string, label: string): string =>
  paragraph(
    `<a href="${escapeHtml(url)}" style="display:inline-block;padding:10px 20px;border-radius:6px;background:#2f5d62;color:#ffffff;text-decoration:none">${escapeHtml(label)}</a>`,
  ) + paragraph(`<span style="color:#57606a;word-break:break-all">${escapeHtml(url)}</span>`);

const page = (locale: Locale, content: string): string =>
  `<!doctype html><html lang="${locale}"><body style="margin:0;padding:24px;background:#f6f8fa"><div style="max-width:560px;margin:0 auto;padding:32px;border:1px solid #d1d9e0;border-radius:8px;background:#ffffff;color:#1f2328;font:16px/1.6 system-ui,sans-serif">${content}</div></body></html>`;

/** The service's own texts of a message, plain and HTML. */
export const standardTexts = (values: MailValues): MailTexts => {
  const { template, locale, url } = values;
  const shown = { ...values, username: oneLine(values.username), name: oneLine(values.name) };
  const { subject, before, action = '', after = [] } = forLocale(wordings[template], locale)(shown);
  const greeting = labelText({ 'zh-CN': `${shown.name}，您好：`, en: `Hello ${shown.name},` }, locale);
  const opening = shown.name === '' ? before : [greeting, ...before];
  const paragraphs = (texts: readonly string[]): string =>
    texts.map((text) => paragraph(escapeHtml(text))).join('');
  return {
    subject: oneLine(subject),
    text: `${[...opening, ...(url === '' ? [] : [url]), ...after].join('\n\n')}\n`,
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
