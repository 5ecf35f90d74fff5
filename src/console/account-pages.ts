/**
 * Serves the pages of end users below `/account`: links of mails, and sign-in with a provider. They need none of the
 * built administration pages. Links of older mails, below `/admin`, redirect to them.
 */

import { readdir, readFile } from 'node:fs/promises';
import { linkPaths } from '../auth/link-token.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { PageArea } from '../http/page-area.ts';
import { type ApplicationName, fullName, shownName } from '../kernel/application-name.ts';
import { escapeHtml } from '../kernel/html.ts';
import { catalogueOf, type Label, type Locale, labelText } from '../kernel/messages.ts';
import { packageFile } from '../kernel/package-files.ts';
import { Problem } from '../kernel/problem.ts';
import { type Files, joinModules, joinSheets } from './docs/joined.ts';
import { answerWith, contentVersion, type Representation, represent } from './docs/representation.ts';

export interface AccountPageOptions {
  readonly basePath: string;
  readonly application: ApplicationName;
  /** Address of the application; undefined: the pages lead to the administration area. */
  readonly home: string | undefined;
  /** Address to which a sign-in with a provider hands its one-time code; undefined: none could exchange it. */
  readonly arrival: string | undefined;
  /** True if the administration pages are served. */
  readonly admin: boolean;
  /** True if the service sends mail, users can register themselves, or sign in with a provider. */
  readonly mail: boolean;
  readonly registration: boolean;
  readonly providers: boolean;
}

/** Everything comes from this service, and nothing runs but its script. The address is in no request that follows. */
const pageHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-cache',
};

/** A file's address changes with the content of any of them, so that a loaded file never expires. */
const assetHeaders = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const scriptNeeded: Label = {
  'zh-CN': '此页需要 JavaScript，请启用后重新加载。',
  en: 'This page needs JavaScript. Turn it on and load the page again.',
};

interface LoadedPages {
  readonly version: string;
  readonly assets: ReadonlyMap<string, Representation>;
  /** Returns the document of a page. */
  readonly document: (page: string, locale: Locale) => Representation;
}

/** The text files of both folders by their names, of which each exists once among those that are joined. */
const readFiles = async (): Promise<Files> => {
  const all = await Promise.all(
    ['docs-page/', 'account-pages/'].map(async (folder) => {
      const directory = packageFile(folder);
      const names = (await readdir(directory)).filter((name) => /\.(?:js|css|svg|html)$/.test(name));
      return Promise.all(
        names.map(async (name) => [name, await readFile(new URL(name, directory), 'utf8')] as const),
      );
    }),
  );
  return new Map(all.flat());
};

/** The facts that the page needs before its first request, as attributes of the document. */
const attributesOf = (options: AccountPageOptions, page: string): string => {
  const { application, basePath, home, arrival, admin, mail, registration, providers } = options;
  const { environment } = application;
  const [name, title] = [shownName(application), fullName(application)];
  const texts = Object.entries({
    page,
    base: basePath,
    application: name,
    title,
    // In production the name says enough.
    environment: title === name ? undefined : environment?.label,
    colour: environment?.colour,
    ink: environment?.ink,
    home,
    arrival,
  });
  const offered = Object.entries({ admin, mail, registration, providers }).filter(([, is]) => is);
  return [
    ...texts.flatMap(([key, text]) => (text === undefined ? [] : [` data-${key}="${escapeHtml(text)}"`])),
    ...offered.map(([key]) => ` data-${key}`),
  ].join('');
};

const loadPages = async (options: AccountPageOptions): Promise<LoadedPages> => {
  const [files, font] = await Promise.all([readFiles(), readFile(packageFile('docs-page/inter.woff2'))]);
  const parts = [
    ['main.js', 'text/javascript; charset=utf-8', joinModules('main.js', files)],
    ['page.css', 'text/css; charset=utf-8', joinSheets('page.css', files)],
    ['icon.svg', 'image/svg+xml', files.get('icon.svg') ?? ''],
    ['inter.woff2', 'font/woff2', font],
  ] as const;
  const version = contentVersion(...parts.flat());
  const frame = (files.get('index.html') ?? '').replaceAll(
    '{assets}',
    `${options.basePath}/account/assets/${version}`,
  );
  const made = new Map<string, Representation>();
  const make = (page: string, locale: Locale): Representation =>
    represent(
      'text/html; charset=utf-8',
      frame
        .replace('lang="en" data-facts', () => `lang="${locale}"${attributesOf(options, page)}`)
        .replace('{title}', () => escapeHtml(fullName(options.application)))
        .replace('{script}', labelText(scriptNeeded, locale)),
    );
  return {
    version,
    assets: new Map(parts.map(([name, type, content]) => [name, represent(type, content)])),
    document: (page, locale) => {
      const key = `${page} ${locale}`;
      const document = made.get(key) ?? make(page, locale);
      made.set(key, document);
      return document;
    },
  };
};

const toEverybody = { method: 'GET', auth: [], policy: { kind: 'open' }, accepts: 'nothing' } as const;

const tag = 'Accounts';

const pageEndpoint = (path: string, open: () => Promise<LoadedPages>): Endpoint => {
  const page = path.slice(path.lastIndexOf('/') + 1);
  return {
    operation: `get_page_${page}`,
    path,
    ...toEverybody,
    docs: {
      summary: { 'zh-CN': '最终用户的页面', en: 'A page of end users' },
      tag,
      media: 'text/html',
      hidden: true,
    },
    handle: async (call) => {
      const language = catalogueOf(call.language).locale;
      return answerWith(call, (await open()).document(page, language), pageHeaders, language);
    },
  };
};

const assetEndpoint = (open: () => Promise<LoadedPages>): Endpoint => ({
  operation: 'getAccountAsset',
  path: '/account/assets/:version/:file',
  ...toEverybody,
  docs: {
    summary: { 'zh-CN': '最终用户页面的文件', en: 'A file of the pages of end users' },
    tag,
    media: 'text/javascript',
    hidden: true,
  },
  handle: async (call) => {
    const { version, assets } = await open();
    const asset = call.params['version'] === version ? assets.get(call.params['file'] ?? '') : undefined;
    if (asset === undefined) throw new Problem('path_not_found');
    return answerWith(call, asset, assetHeaders);
  },
});

/** The former address of a page. A browser adds the fragment, with the token, to the address that it is sent to. */
const formerArea = (basePath: string, path: string): PageArea => ({
  path: `${basePath}${path.replace('/account/', '/admin/')}`,
  page: () => ({
    status: 302,
    type: 'text/plain; charset=utf-8',
    headers: { Location: `${basePath}${path}`, 'Referrer-Policy': 'no-referrer' },
    body: '',
  }),
});

/** The pages that this service offers, and the former addresses of those that mails link. */
export const accountPages = (
  options: AccountPageOptions,
  signInPath: string,
): { readonly areas: readonly PageArea[]; readonly endpoints: readonly Endpoint[] } => {
  const { mail, registration, providers, basePath } = options;
  let opened: Promise<LoadedPages> | undefined;
  const open = (): Promise<LoadedPages> => {
    opened ??= loadPages(options).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  const { invitation, password_reset: passwordReset, email, register } = linkPaths;
  const ofMail = mail ? [passwordReset, email] : [];
  const linked = [invitation, ...ofMail, ...(registration ? [register] : [])];
  const paths = providers ? [...linked, signInPath] : linked;
  return {
    areas: linked.map((path) => formerArea(basePath, path)),
    endpoints: [...paths.map((path) => pageEndpoint(path, open)), assetEndpoint(open)],
  };
};
