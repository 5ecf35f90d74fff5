import { settings } from './settings.js';

/**
 * The description is asked for before the page is whole: on a slow network it comes along with the rest. This file is
 * sent apart for that, and is all the shorter.
 */

const root = document.documentElement;

/** @type {readonly string[]} */
const languages = ['zh-CN', 'en'];

/** The first language of these that there is: the address, an earlier choice, the service's own. */
export const firstLanguage =
  [
    new URLSearchParams(location.search).get('lang'),
    settings.get('locale'),
    root.dataset['serviceLocale'],
  ].find((name) => languages.includes(name ?? '')) ?? 'en';

/** Always the description of this service: no address can be given from outside. @param {string} language */
const fetchDescription = (language) =>
  fetch(new URL(`../../openapi.json?area=all&lang=${encodeURIComponent(language)}`, import.meta.url), {
    credentials: 'omit',
  });

/** @type {Promise<Response> | undefined} */
let early = fetchDescription(firstLanguage);
// The reader of the response reports its errors.
early.catch(() => undefined);

/** The answer that is on its way already, once; another one after that. @param {string} language */
export const askDescription = (language) => {
  const answer = language === firstLanguage ? early : undefined;
  early = undefined;
  return answer ?? fetchDescription(language);
};
