import { readFile } from 'node:fs/promises';
import type { Endpoint } from '../../http/endpoint.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Locale } from '../../kernel/messages/catalogue.ts';
import type { DescriptionOptions } from '../../openapi/context.ts';
import { describeApi } from '../../openapi/document.ts';
import { languageOf, languageQuery } from '../language.ts';
import { pageEndpoints } from './page.ts';
import { answerWith, type Representation, represent } from './representation.ts';

export interface DocumentationOptions extends Omit<DescriptionOptions, 'version'> {
  /** The endpoints with their texts in a language; asked for once a language. */
  readonly endpoints: (locale: Locale) => readonly Endpoint[];
}

/** Version of this package. */
const packageVersion = async (): Promise<string> => {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  return version;
};

const descriptionEndpoint = (locale: Locale, find: (locale: Locale) => Representation): Endpoint => ({
  operation: 'getApiDescription',
  method: 'GET',
  path: '/api-docs/openapi.json',
  auth: [],
  policy: { kind: 'open' },
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '接口描述（OpenAPI 3.1）', en: 'API description (OpenAPI 3.1)' },
    description: {
      'zh-CN': '本描述自身，供客户端生成器与其他工具使用。',
      en: 'This description, for generators of clients and other tools.',
    },
    tag: 'Documentation',
    media: 'application/json',
    etag: true,
    query: [languageQuery(locale)],
  },
  handle: (call) => answerWith(call, find(languageOf(call, locale)), { 'Cache-Control': 'no-cache' }),
});

export interface Documentation {
  readonly endpoints: readonly Endpoint[];
  /** The whole description in a language; without the documentation's own endpoints where it is switched off. */
  readonly describe: (locale: Locale, withItself?: boolean) => JsonObject;
}

/** The API description and the page that shows it. Both are public: they say what is asked, never who has it. */
export const createDocumentation = async (options: DocumentationOptions): Promise<Documentation> => {
  const version = await packageVersion();
  const made = new Map<Locale, Representation>();
  const describe: Documentation['describe'] = (locale, withItself = true) => {
    const described = [...options.endpoints(locale), ...(withItself ? endpoints : [])];
    return describeApi(described, { ...options, locale, version });
  };
  const find = (locale: Locale): Representation => {
    const known = made.get(locale);
    if (known !== undefined) return known;
    const description = represent('application/json; charset=utf-8', JSON.stringify(describe(locale)));
    made.set(locale, description);
    return description;
  };
  const endpoints = [...(await pageEndpoints(options.locale)), descriptionEndpoint(options.locale, find)];
  return { endpoints, describe };
};
