/** Serves the OpenAPI description in each language and area, and opens the documentation page. */

import { readFile } from 'node:fs/promises';
import {
  type DescriptionArea,
  type DescriptionOptions,
  describeApi,
  descriptionAreas,
  descriptionPath,
} from '../../http/describe.ts';
import type { Call, Endpoint, QueryDocs } from '../../http/endpoint.ts';
import { languageOf, languageQuery } from '../../http/language.ts';
import { fullName } from '../../kernel/application-name.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Languages, Locale } from '../../kernel/messages.ts';
import { packageFile } from '../../kernel/package-files.ts';
import { Problem } from '../../kernel/problem.ts';
import { apiMarkdown } from './api-markdown.ts';
import { pageEndpoints } from './page.ts';
import { answerWith, type Representation, represent } from './representation.ts';

export interface DocumentationOptions
  extends Omit<DescriptionOptions, 'version' | 'area' | 'locale' | 'messages' | 'negotiated'> {
  readonly languages: Languages;
  /** The endpoints with their texts in a language; asked for once a language. */
  readonly endpoints: (locale: Locale) => readonly Endpoint[];
}

/** Version of this package. */
const packageVersion = async (): Promise<string> => {
  const text = await readFile(packageFile('package.json'), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  return version;
};

/** Area that is described where none is asked for. */
const defaultArea: DescriptionArea = 'api';

/** The part that `?area=` names. @throws Problem `invalid_parameter` */
const areaOf = ({ query }: Pick<Call, 'query'>): DescriptionArea => {
  const given = new URLSearchParams(query).get('area') ?? defaultArea;
  const found = descriptionAreas.find((area) => area === given);
  if (found === undefined) throw new Problem('invalid_parameter', { params: { name: 'area' } });
  return found;
};

const areaQuery: QueryDocs = {
  name: 'area',
  description: {
    'zh-CN': '描述的范围：API、管理后台，或两者',
    en: 'Scope of the description: the API, the administration area, or both',
  },
  schema: { type: 'string', enum: [...descriptionAreas], default: defaultArea },
};

type FindDescription = (locale: Locale, area: DescriptionArea) => Representation;

const descriptionEndpoint = (languages: Languages, find: FindDescription): Endpoint => ({
  operation: 'getApiDescription',
  method: 'GET',
  path: descriptionPath,
  auth: [],
  policy: { kind: 'open' },
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '接口描述（OpenAPI 3.1）', en: 'API description (OpenAPI 3.1)' },
    description: {
      'zh-CN': '本描述自身，供客户端生成器与其他工具使用。',
      en: 'This description, for client generators and other tools.',
    },
    tag: 'Documentation',
    media: 'application/json',
    etag: true,
    query: [languageQuery(languages), areaQuery],
  },
  handle: (call) => {
    const language = languageOf(call, languages);
    return answerWith(call, find(language, areaOf(call)), { 'Cache-Control': 'no-cache' }, language);
  },
});

export interface Documentation {
  readonly endpoints: readonly Endpoint[];
  /** The description of an area in a language; without the documentation's own endpoints where it is switched off. */
  readonly describe: (locale: Locale, area: DescriptionArea, withItself?: boolean) => JsonObject;
}

/** The API description and the page that shows it. Both are public, and name no users. */
export const createDocumentation = async (options: DocumentationOptions): Promise<Documentation> => {
  const version = await packageVersion();
  const { languages } = options;
  const { catalogues, first, choose } = languages;
  const made = new Map<string, Representation>();
  const describe: Documentation['describe'] = (locale, area, withItself = true) => {
    const described = [...options.endpoints(locale)];
    if (withItself) described.push(...endpoints);
    const messages = (choose === undefined ? undefined : catalogues.get(locale)) ?? first;
    const negotiated = choose !== undefined;
    return describeApi(described, { ...options, locale, messages, negotiated, version, area });
  };
  const find: FindDescription = (locale, area) => {
    const name = `${locale} ${area}`;
    const known = made.get(name);
    if (known !== undefined) return known;
    const description = represent('application/json; charset=utf-8', JSON.stringify(describe(locale, area)));
    made.set(name, description);
    return description;
  };
  const markdownIn = (locale: Locale): Representation => {
    const name = `${locale} markdown`;
    const text =
      made.get(name) ?? represent('text/markdown; charset=utf-8', apiMarkdown(describe(locale, 'api')));
    made.set(name, text);
    return text;
  };
  const endpoints = [
    ...pageEndpoints(languages, markdownIn, `${fullName(options.application)} API`),
    descriptionEndpoint(languages, find),
  ];
  return { endpoints, describe };
};
