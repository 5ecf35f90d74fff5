import type { Languages, Locale } from '../kernel/messages.ts';
import { Problem } from '../kernel/problem.ts';
import type { Call, QueryDocs } from './endpoint.ts';

/** The language that `?lang=` names, else that of the request. @throws Problem `invalid_parameter` */
export const languageOf = (
  { query, language }: Pick<Call, 'query' | 'language'>,
  { catalogues }: Languages,
): Locale => {
  const given = new URLSearchParams(query).get('lang');
  if (given === null) return language;
  if (!catalogues.has(given)) throw new Problem('invalid_parameter', { params: { name: 'lang' } });
  return given;
};

/** The parameter as the API description has it. */
export const languageQuery = ({ catalogues, first }: Languages): QueryDocs => ({
  name: 'lang',
  description: { 'zh-CN': '文本的语言', en: 'Language of the texts' },
  schema: { type: 'string', enum: [...catalogues.keys()], default: first.locale },
});
