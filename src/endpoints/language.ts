import type { Call, QueryDocs } from '../http/endpoint.ts';
import { type Locale, locales } from '../kernel/messages/catalogue.ts';
import { Problem } from '../kernel/problem.ts';

/** The language that `?lang=` names, else the service's own. @throws Problem `invalid_parameter` */
export const languageOf = ({ query }: Pick<Call, 'query'>, fallback: Locale): Locale => {
  const given = new URLSearchParams(query).get('lang');
  if (given === null) return fallback;
  const found = locales.find((locale) => locale === given);
  if (found === undefined) throw new Problem('invalid_parameter', { params: { name: 'lang' } });
  return found;
};

/** The parameter as the API description has it. */
export const languageQuery = (locale: Locale): QueryDocs => ({
  name: 'lang',
  description: { 'zh-CN': '文本的语言', en: 'Language of the texts' },
  schema: { type: 'string', enum: [...locales], default: locale },
});
