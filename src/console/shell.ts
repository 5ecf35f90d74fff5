/** Serves the built administration pages, with a nonce in each response and assets that are compressed once. */

import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { adminTag } from '../http/administration.ts';
import { takesCoding } from '../http/content-coding.ts';
import type { Answer, Call, Endpoint } from '../http/endpoint.ts';
import type { PageArea } from '../http/page-area.ts';
import { type ApplicationName, fullName, shownName } from '../kernel/application-name.ts';
import { escapeHtml } from '../kernel/html.ts';
import { catalogueOf } from '../kernel/messages.ts';
import { packageFile } from '../kernel/package-files.ts';
import { Problem } from '../kernel/problem.ts';

/** The built pages: beside the compiled service, and found from its sources as well. */
const folder = packageFile('dist/admin/');

/** The placeholder of the build for the nonce of a response. */
const noncePlace = '__NONCE__';
const languagePlace = '__LANGUAGE__';

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/**
 * Nothing from another host, no frame around it, and one inline script, which its hash names. Style tags carry the
 * nonce, as emotion adds them while the page runs. Trusted Types: no text can become markup or script, whatever a
 * dependency does.
 */
const policyOf = (nonce: string, scripts: string): string =>
  [
    "default-src 'none'",
    `script-src 'self'${scripts}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

const pageHeaders = {
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-DNS-Prefetch-Control': 'off',
} as const;

export interface ShellOptions {
  readonly basePath: string;
  readonly application: ApplicationName;
  /** True if the service has a documentation page. */
  readonly apiDocs?: boolean;
  /** True if the service sends mail, and users can register themselves. */
  readonly mail?: boolean;
  readonly registration?: boolean;
  /** True if users can sign in with an identity provider. */
  readonly providers?: boolean;
}

/** Values that the page needs before its first request: the name of the application, and the offered parts. */
const attributesOf = (options: ShellOptions): string => {
  const { application, apiDocs, mail, registration, providers } = options;
  const { environment } = application;
  const offered = Object.entries({ documented: apiDocs, mail, registration, providers });
  const named = Object.entries({
    application: shownName(application),
    environment: environment?.label,
    colour: environment?.colour,
    ink: environment?.ink,
    title: fullName(application),
  });
  return [
    ...offered.flatMap(([name, is]) => (is === true ? [` data-${name}`] : [])),
    ...named.flatMap(([name, text]) => (text === undefined ? [] : [` data-${name}="${escapeHtml(text)}"`])),
  ].join('');
};

/** The name in the page itself, which is seen before any script runs, and the badge of the environment. */
const arrivingName = (application: ApplicationName): string => {
  const name = `<span class="arriving-name">${escapeHtml(shownName(application))}</span>`;
  if (application.environment === undefined) return name;
  const { label, colour, ink } = application.environment;
  const style = `.arriving-environment{background:${colour};color:${ink}}[data-frame] .arriving-head{box-shadow:inset 0 2px ${colour}}`;
  return `${name}<style nonce="${noncePlace}">${style}</style><span class="arriving-environment">${escapeHtml(label)}</span>`;
};

/** The hashes of the scripts that stand in the page: the build wrote them, and nothing of a request is in them. */
const inlineScripts = (html: string): string =>
  [...html.matchAll(/<script(?: nonce="[^"]*")?>([^<]*)<\/script>/g)]
    .map(([, script = '']) => ` 'sha256-${createHash('sha256').update(script).digest('base64')}'`)
    .join('');

/** The page of the area, with a nonce of its own in every answer. */
const createPage = (html: string, options: ShellOptions): PageArea['page'] => {
  const { basePath, application } = options;
  const attributes = attributesOf(options);
  const scripts = inlineScripts(html);
  // The base path is a parsed URL's: it holds nothing that could end an attribute.
  const parts = html
    // The policy names scripts and files without a nonce.
    .replaceAll(/(<(?:script|link)\b[^>]*?) nonce="__NONCE__"/g, '$1')
    .replaceAll('./assets/', `${basePath}/admin/assets/`)
    .replace('lang="zh-CN"', `lang="${languagePlace}"${attributes}`)
    .replace('<span class="arriving-name"></span>', () => arrivingName(application))
    .replace('<title>Gatewright</title>', () => `<title>${escapeHtml(fullName(application))}</title>`)
    .split(noncePlace);
  return ({ language, variant }) => {
    const shown = catalogueOf(language).locale;
    const nonce = randomBytes(16).toString('base64');
    return {
      status: 200,
      type: 'text/html; charset=utf-8',
      headers: { ...pageHeaders, 'Content-Security-Policy': policyOf(nonce, scripts) },
      body: parts.join(nonce).replace(languagePlace, shown),
      language: variant === undefined ? undefined : shown,
    };
  };
};

const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

interface Assets {
  has(name: string): boolean;
  /** Only of a name that is there. */
  read(name: string): Promise<Uint8Array>;
}

/** Files with their content's hash in their name: kept for a year, compressed when they were built. */
const assetEndpoint = (files: Assets): Endpoint => {
  const answer = async (call: Call): Promise<Answer> => {
    const { file = '' } = call.params;
    const type = types[file.slice(file.lastIndexOf('.') + 1)];
    if (type === undefined || !files.has(file)) throw new Problem('path_not_found');
    const accepted = call.header('accept-encoding');
    const encoding = encodings.find(
      ({ name, ending }) => files.has(file + ending) && takesCoding(accepted, name),
    );
    const headers: Record<string, string> = {
      'cache-control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
      vary: 'Accept-Encoding',
    };
    if (encoding !== undefined) headers['Content-Encoding'] = encoding.name;
    const body = await files.read(file + (encoding?.ending ?? ''));
    return { headers, raw: { type, body } };
  };

  return {
    operation: 'getAdminAsset',
    method: 'GET',
    path: '/admin/assets/:file',
    auth: [],
    policy: { kind: 'open' },
    accepts: 'nothing',
    docs: {
      summary: { 'zh-CN': '管理后台的文件', en: 'A file of the administration pages' },
      tag: adminTag,
      hidden: true,
    },
    handle: answer,
  };
};

export interface AdminPages {
  readonly area: PageArea;
  readonly endpoints: readonly Endpoint[];
}

/**
 * The files, each read when it is first asked for and kept: most services run for weeks without anybody opening the
 * area. Names hold the hash of the content, so a newer build in its place never mixes with this one.
 */
const openAssets = async (): Promise<Assets> => {
  const folderOfAssets = new URL('assets/', folder);
  const names = new Set(await readdir(folderOfAssets));
  const files = new Map<string, Uint8Array>();
  return {
    has: (name) => names.has(name),
    read: async (name) => {
      const known = files.get(name);
      if (known !== undefined) return known;
      const bytes = await readFile(new URL(name, folderOfAssets));
      files.set(name, bytes);
      return bytes;
    },
  };
};

/** The administration area's pages; undefined where they have not been built. */
export const openAdminPages = async (options: ShellOptions): Promise<AdminPages | undefined> => {
  try {
    const html = await readFile(new URL('index.html', folder), 'utf8');
    const area = { path: `${options.basePath}/admin`, page: createPage(html, options) };
    return { area, endpoints: [assetEndpoint(await openAssets())] };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
};
