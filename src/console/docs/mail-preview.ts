/** Pages of `gatewright dev` that show each mail with sample data. */

import {
  filledMail,
  type MailOption,
  type Mails,
  type MailTexts,
  mailTemplates,
  mailTexts,
  mailValues,
} from '../../delivery/mail.ts';
import type { Answer, Endpoint } from '../../http/endpoint.ts';
import { type Languages, type Locale, locales } from '../../kernel/messages.ts';
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

/** The messages that are shown, and the data of their samples. */
export interface MailPreviewParts {
  /** Undefined where the application sends no mail: then the service has no messages either. */
  readonly mail: MailOption | undefined;
  readonly mails: Mails;
  readonly languages: Languages;
  readonly place: Parameters<typeof mailValues>[2];
}

/** A message with the languages in which it is shown. */
interface Preview {
  readonly locales: readonly Locale[];
  readonly texts: (locale: Locale) => MailTexts;
}

const previewsOf = ({ mail, mails, languages, place }: MailPreviewParts): ReadonlyMap<string, Preview> => {
  const ofService = mailTemplates.map((template): [string, Preview] => {
    const token = withoutLink.has(template) ? '' : sampleToken;
    const texts = (locale: Locale): MailTexts =>
      mailTexts(mail ?? 'log', mailValues({ ...sample, template, locale }, token, place));
    return [template, { locales, texts }];
  });
  const ofApplication = [...mails].map(([name, each]): [string, Preview] => {
    const texts = (locale: Locale): MailTexts =>
      filledMail(name, each, each.sample ?? {}, locale, languages.first.fallbacks);
    return [name, { locales: languages.spoken, texts }];
  });
  return new Map(mail === undefined ? ofApplication : [...ofService, ...ofApplication]);
};

const contents = (previews: ReadonlyMap<string, Preview>): string => {
  const rows = [...previews].map(([template, preview]) => {
    const links = preview.locales.flatMap((locale) =>
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

export const mailPreviewEndpoints = (parts: MailPreviewParts): Endpoint[] => {
  const previews = previewsOf(parts);
  if (previews.size === 0) return [];
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
      handle: async () => page('html', contents(previews)),
    },
    {
      ...common,
      operation: 'showMail',
      path: '/dev/mail/:template/:locale/:format',
      handle: async ({ params }) => {
        const preview = previews.get(params['template'] ?? '');
        if (preview === undefined) throw new Problem('path_not_found');
        const { subject, text, html } = preview.texts(named(preview.locales, params['locale']));
        return named(formats, params['format']) === 'html' && html !== undefined
          ? page('html', html)
          : page('plain', `${subject}\n\n${text}`);
      },
    },
  ];
};
