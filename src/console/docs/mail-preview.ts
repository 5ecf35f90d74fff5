/** Pages of `gatewright dev` that show each mail with sample data. */

import { type MailOption, mailTemplates, mailTexts, mailValues } from '../../delivery/mail.ts';
import type { Answer, Endpoint } from '../../http/endpoint.ts';
import { locales } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';

/** Sample data of every message; the token belongs to no link. */
const sample = {
  username: 'ann',
  name: 'Ann Lee',
  path: '/account/sample',
  change: 'key_created',
  changed: 'Deployment',
  keys: 2,
  linked_accounts: 1,
} as const;

const sampleToken = 'sample-token';

/** Templates whose messages have no link. */
const withoutLink: ReadonlySet<string> = new Set([
  'password_changed',
  'email_changed',
  'address_in_use',
  'account_changed',
]);

const formats = ['html', 'text'] as const;

/** Styles of messages are inline. A message loads nothing and runs nothing. */
const headers = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
} as const;

const page = (type: 'html' | 'plain', body: string): Answer => ({
  headers,
  raw: { type: `text/${type}; charset=utf-8`, body },
});

const contents = (): string => {
  const rows = mailTemplates.map((template) => {
    const links = locales.flatMap((locale) =>
      formats.map((format) => `<a href="mail/${template}/${locale}/${format}">${locale} ${format}</a>`),
    );
    return `<li><code>${template}</code> ${links.join(' · ')}</li>`;
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Mail</title><body style="margin:32px;font:16px/1.8 system-ui,sans-serif"><h1>Mail</h1><ul>${rows.join('')}</ul>`;
};

const named = <Name extends string>(names: readonly Name[], given: string | undefined): Name => {
  const found = names.find((name) => name === given);
  if (found === undefined) throw new Problem('path_not_found');
  return found;
};

export const mailPreviewEndpoints = (
  mail: MailOption,
  place: Parameters<typeof mailValues>[2],
): Endpoint[] => {
  const common = {
    method: 'GET',
    auth: [],
    policy: { kind: 'open' },
    accepts: 'nothing',
    docs: { summary: { 'zh-CN': '邮件预览', en: 'Preview of mail' }, tag: 'Documentation', hidden: true },
  } as const;
  return [
    {
      ...common,
      operation: 'listMail',
      path: '/dev/mail',
      handle: async () => page('html', contents()),
    },
    {
      ...common,
      operation: 'showMail',
      path: '/dev/mail/:template/:locale/:format',
      handle: async ({ params }) => {
        const template = named(mailTemplates, params['template']);
        const locale = named(locales, params['locale']);
        const format = named(formats, params['format']);
        const token = withoutLink.has(template) ? '' : sampleToken;
        const texts = mailTexts(mail, mailValues({ ...sample, template, locale }, token, place));
        const { html } = texts;
        return format === 'html' && html !== undefined
          ? page('html', html)
          : page('plain', `${texts.subject}\n\n${texts.text}`);
      },
    },
  ];
};
