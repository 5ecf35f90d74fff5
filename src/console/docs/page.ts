/**
 * Serves the documentation page: its document, its assets and the handbook, with their security headers; documents also
 * as Markdown, for programs that prefer it.
 */

import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { authMethods, headersOf, isSetByProxy } from '../../auth/registry.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { languageOf } from '../../http/language.ts';
import { prefers } from '../../http/list-endpoint.ts';
import { escapeHtml } from '../../kernel/html.ts';
import { type Json, toJson } from '../../kernel/json.ts';
import { catalogueOf, type Languages, type Locale, locales } from '../../kernel/messages.ts';
import { packageFile } from '../../kernel/package-files.ts';
import { Problem } from '../../kernel/problem.ts';
import {
  contentsPage,
  type Form,
  isNegotiated,
  type MachineFile,
  readMachineFile,
  readSheet,
  topicsOf,
} from './handbook.ts';
import { type Files, joinModules, joinSheets } from './joined.ts';
import { answerWith, contentVersion, type Representation, represent } from './representation.ts';

/** Data by which the page sends the credentials of each method, in both languages. */
export const describedMethods = (): Json =>
  toJson(
    authMethods.map((method) => ({
      name: method.name,
      label: method.label,
      headers: headersOf(method),
      byProxy: isSetByProxy(method) || undefined,
      secret: method.secret,
    })),
  );

/** The page's files: beside `src` in a checkout, beside `dist` in the package. */
const directory = packageFile('docs-page/');

/** Media types of its parts. */
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
};

/**
 * Everything comes from this service and nothing else may: no script, style or connection from elsewhere, no inline
 * script, no frame, no form; and text can never become markup or code (Trusted Types).
 */
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
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-cache',
};

/** A file's name changes with the content of any of them, so that a loaded file never expires. */
const assetHeaders = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

interface Page {
  /** The page by its language. */
  readonly html: ReadonlyMap<Locale, Representation>;
  readonly version: string;
  readonly assets: ReadonlyMap<string, Representation>;
}

/** The files of the page that are text: of all others, only the fonts are sent. */
const readFiles = async (): Promise<Files> => {
  const names = (await readdir(directory)).filter((name) => /\.(?:js|css|svg|html)$/.test(name));
  const contents = await Promise.all(names.map((name) => readFile(new URL(name, directory), 'utf8')));
  return new Map(names.map((name, index) => [name, contents[index] ?? '']));
};

/** Files of the page, by name: few, each with all that it imports. */
const partsOf = (files: Files): ReadonlyMap<string, string> =>
  new Map([
    ['icon.svg', files.get('icon.svg') ?? ''],
    ['page.css', joinSheets('page.css', files)],
    ['early.js', joinModules('early.js', files)],
    ['main.js', joinModules('main.js', files, ['early.js'])],
    // Made, not read: how credentials of each method of authentication are sent.
    ['methods.json', JSON.stringify(describedMethods())],
  ]);

const fonts = ['inter.woff2', 'jetbrains-mono.woff2'] as const;

const loadPage = async (title: string): Promise<Page> => {
  const files = await readFiles();
  const fontFiles = fonts.map(async (name) => [name, await readFile(new URL(name, directory))] as const);
  const parts: (readonly [string, string | Uint8Array])[] = [
    ...partsOf(files),
    ...(await Promise.all(fontFiles)),
  ];
  const version = contentVersion(...parts.flat());
  // Relative to the page's own address, so that a path prefix or a proxy in front changes nothing.
  const html = (files.get('index.html') ?? '')
    .replaceAll('{assets}', `api-docs/assets/${version}`)
    .replace('{title}', () => escapeHtml(title));
  const inLanguage = (locale: Locale): Representation =>
    represent('text/html; charset=utf-8', html.replaceAll('{locale}', locale));
  return {
    html: new Map(locales.map((locale) => [locale, inLanguage(locale)])),
    version,
    assets: new Map(parts.map(([name, content]) => [name, represent(types[extname(name)] ?? '', content)])),
  };
};

const toEverybody = { method: 'GET', auth: [], policy: { kind: 'open' }, accepts: 'nothing' } as const;

const tag = 'Documentation';

/** Language of a page, which is one of the service. */
const pageLanguage = (language: Locale): Locale => catalogueOf(language).locale;

/** Text and pictures of this service, and nothing that runs. */
const handbookHeaders = {
  ...pageHeaders,
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Sections of the handbook for the search of the page, which asks for them when somebody searches. */
const topicsEndpoint = (languages: Languages): Endpoint => ({
  operation: 'getHandbookTopics',
  path: '/api-docs/handbook/topics.json',
  ...toEverybody,
  docs: { summary: 'Sections of the handbook', tag, media: 'application/json', hidden: true },
  handle: async (call) => {
    const language = pageLanguage(languageOf(call, languages));
    const topics = represent(types['.json'] ?? '', JSON.stringify(await topicsOf(language === 'zh-CN')));
    return answerWith(call, topics, handbookHeaders, language);
  },
});

/** The form of a document that a caller prefers. */
const formFor = (call: Call): Form =>
  prefers(call.header('accept'), 'text/markdown', 'text/html') ? 'markdown' : 'html';

/** Headers of an address that has two forms. */
const inForms = <T extends object>(headers: T) => ({ ...headers, Vary: 'Accept' });

/** The path of the page's style sheet, below `api-docs/`. */
const sheetOf = ({ version }: Page): string => `assets/${version}/page.css`;

/** The documents of the package as pages, which are read when they are asked for: few people do. */
const handbookEndpoints = (languages: Languages, open: () => Promise<Page>): Endpoint[] => [
  {
    operation: 'getHandbook',
    path: '/api-docs/handbook',
    ...toEverybody,
    docs: { summary: 'Handbook', tag, media: 'text/html', hidden: true },
    handle: async (call) => {
      const language = pageLanguage(languageOf(call, languages));
      const { type, content } =
        formFor(call) === 'markdown'
          ? await readMachineFile('llms.txt', '')
          : await contentsPage(language === 'zh-CN', sheetOf(await open()));
      return answerWith(call, represent(type, content), inForms(handbookHeaders), language);
    },
  },
  {
    operation: 'getHandbookPage',
    path: '/api-docs/handbook/:folder/:file',
    ...toEverybody,
    docs: { summary: 'Page of the handbook', tag, media: 'text/html', hidden: true },
    handle: async (call) => {
      const { folder = '', file = '' } = call.params;
      const sheet = await readSheet({ folder, file }, formFor(call), sheetOf(await open()));
      if (sheet === undefined) throw new Problem('path_not_found');
      const headers = (await isNegotiated({ folder, file })) ? inForms(handbookHeaders) : handbookHeaders;
      return answerWith(call, represent(sheet.type, sheet.content), headers);
    },
  },
];

/** A document for machines, at the address where they look for it. */
const machineEndpoint = (operation: string, file: MachineFile): Endpoint => ({
  operation,
  path: `/${file}`,
  ...toEverybody,
  docs: { summary: 'Documents for machines', tag, media: 'text/markdown', hidden: true },
  handle: async (call) => {
    const { type, content } = await readMachineFile(file, 'api-docs/');
    const own = file === 'llms.txt' ? `${content}\n${ownSection}` : content;
    return answerWith(call, represent(type, own), handbookHeaders);
  },
});

/** The API of the service that sends the index. */
const ownSection = `## This service

- [API](api-docs.md): Every endpoint of this service, with its fields, parameters and errors.
- [OpenAPI](api-docs/openapi.json): The same as OpenAPI 3.1.
`;

/** The description of the API as Markdown. */
const markdownEndpoint = (languages: Languages, markdownIn: MarkdownIn): Endpoint => ({
  operation: 'getApiMarkdown',
  path: '/api-docs.md',
  ...toEverybody,
  docs: { summary: 'Documentation as Markdown', tag, media: 'text/markdown', hidden: true },
  handle: (call) => {
    const language = languageOf(call, languages);
    return answerWith(call, markdownIn(language), handbookHeaders, language);
  },
});

/** Returns the description of the API as Markdown in a language. */
type MarkdownIn = (language: Locale) => Representation;

/** The interactive page and its parts, which are read and compressed when somebody opens it. */
export const pageEndpoints = (languages: Languages, markdownIn: MarkdownIn, title: string): Endpoint[] => {
  let opened: Promise<Page> | undefined;
  const open = (): Promise<Page> => {
    opened ??= loadPage(title).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return [
    ...handbookEndpoints(languages, open),
    topicsEndpoint(languages),
    machineEndpoint('getMachineIndex', 'llms.txt'),
    machineEndpoint('getMachineReference', 'llms-full.txt'),
    markdownEndpoint(languages, markdownIn),
    {
      operation: 'getApiDocs',
      path: '/api-docs',
      ...toEverybody,
      docs: {
        summary: { 'zh-CN': '交互式接口文档', en: 'Interactive documentation' },
        description: {
          'zh-CN':
            '在浏览器中阅读、试用并复制为代码；凭据只保存在页面内存中。以 `Accept: text/markdown` 请求时返回 Markdown 格式的接口描述。',
          en: 'Read and try the endpoints in a browser, and copy code samples. Credentials stay in the memory of the page. With `Accept: text/markdown` it is the description of the API as Markdown.',
        },
        tag,
        media: 'text/html',
        etag: true,
      },
      handle: async (call) => {
        if (formFor(call) === 'markdown')
          return answerWith(call, markdownIn(call.language), inForms(pageHeaders), call.language);
        const language = pageLanguage(call.language);
        const html = (await open()).html.get(language);
        if (html === undefined) throw new Error(`the page has no language ${language}`);
        return answerWith(call, html, inForms(pageHeaders), language);
      },
    },
    {
      operation: 'getApiDocsAsset',
      path: '/api-docs/assets/:version/:file',
      ...toEverybody,
      docs: { summary: 'Part of the page', tag, media: 'text/javascript', hidden: true },
      handle: async (call) => {
        const { version, assets } = await open();
        const asset = call.params['version'] === version ? assets.get(call.params['file'] ?? '') : undefined;
        if (asset === undefined) throw new Problem('path_not_found');
        return answerWith(call, asset, assetHeaders);
      },
    },
  ];
};
