/** Languages of the pages: the chosen one, its texts as they are loaded, and the hook that returns them. */

import { type I18nProvider, useLocale, useTranslate } from 'ra-core';
import { useCallback, useEffect } from 'react';
import { fillTemplate, inSentence } from '../../../src/kernel/spacing.ts';
import { store } from '../store.ts';
import type { FirstTexts, OtherTexts, PageTexts, ReasonWords, TextKey, Tree } from './texts.ts';

export type Language = 'zh-CN' | 'en';

export const languages: readonly { readonly locale: Language; readonly name: string }[] = [
  { locale: 'zh-CN', name: '简体中文' },
  { locale: 'en', name: 'English' },
];

interface First {
  readonly app: FirstTexts;
  readonly others: OtherTexts;
}

interface Pages {
  readonly app: PageTexts;
  readonly reasonWords: ReasonWords;
}

interface Loaders {
  readonly first: () => Promise<First>;
  readonly pages: () => Promise<Pages>;
}

const loaders: Readonly<Record<Language, Loaders>> = {
  'zh-CN': { first: () => import('./zh-CN/first.ts'), pages: () => import('./zh-CN/pages.ts') },
  en: { first: () => import('./en/first.ts'), pages: () => import('./en/pages.ts') },
};

const loadedFirst = new Map<Language, First>();
const loadedPages = new Map<Language, Pages>();

/**
 * True once a page was opened that is not a list of records: a change of the language then loads the page texts too.
 */
let needsPageTexts = false;

/** Loads the first texts of a language; they must be loaded before any is used. */
export const loadTexts = async (language: Language): Promise<void> => {
  const { first, pages } = loaders[language];
  await Promise.all([
    loadedFirst.has(language) ? undefined : first().then((module) => loadedFirst.set(language, module)),
    !needsPageTexts || loadedPages.has(language)
      ? undefined
      : pages().then((module) => loadedPages.set(language, module)),
  ]);
};

/** Loads the texts of pages that are not lists of records. */
export const loadPageTexts = (): Promise<void> => {
  needsPageTexts = true;
  return loadTexts(current);
};

const firstOf = (language: Language): First => {
  const texts = loadedFirst.get(language);
  if (texts === undefined) throw new Error(`the first texts of ${language} are not loaded`);
  return texts;
};

/** Words of the service for the reasons of an explanation. The page texts of the language have to be loaded. */
export const reasonWords = (language: Language): ReasonWords => {
  const texts = loadedPages.get(language);
  if (texts === undefined) throw new Error(`the page texts of ${language} are not loaded`);
  return texts.reasonWords;
};

/** The messages of the service in a language of the pages. */
export const serviceTexts = (language: Language): OtherTexts['service'] => firstOf(language).others.service;

const isLanguage = (name: unknown): name is Language => name === 'en' || name === 'zh-CN';

/** The language of the service; the pages use it until the user chooses another one in this browser. */
export const serviceLanguage: Language = document.documentElement.lang === 'en' ? 'en' : 'zh-CN';

const chosenBefore: unknown = store.getItem<string>('locale');

/** The language at the start of the pages. */
export const firstLanguage: Language = isLanguage(chosenBefore) ? chosenBefore : serviceLanguage;

let current = firstLanguage;

const textAt = (tree: Tree, path: string): string | undefined => {
  let at: string | Tree | undefined = tree;
  for (const step of path.split('.')) at = typeof at === 'object' ? at[step] : undefined;
  return typeof at === 'string' ? at : undefined;
};

/** The form of a text for a number: one, or all others. Chinese texts have one form. */
const formOf = (text: string, count: unknown): string => {
  const [one = '', others = one] = text.split(' |||| ');
  return count === undefined || Number(count) === 1 ? one : others;
};

/**
 * The provider of ra-core: texts by path, in the form for `smart_count` or `count`. `%{name}` is replaced by its value;
 * `%{~name}` by an English label as it stands within a sentence.
 */
export const i18nProvider: I18nProvider = {
  translate: (key, options = {}) => {
    const { app, others } = firstOf(current);
    const found =
      textAt({ app, ra: others.ra }, key) ?? textAt({ app: loadedPages.get(current)?.app ?? {} }, key);
    if (found === undefined) return typeof options['_'] === 'string' ? options['_'] : key;
    const form = formOf(found, options['smart_count'] ?? options['count']);
    return fillTemplate(form, /%\{(~?\w+)\}/g, (name) => {
      const value: unknown = options[name.replace('~', '')];
      if (value === undefined) return undefined;
      return name[0] === '~' ? inSentence(String(value)) : String(value);
    });
  },
  changeLocale: async (locale) => {
    const language = isLanguage(locale) ? locale : serviceLanguage;
    await loadTexts(language);
    current = language;
  },
  getLocale: () => current,
  getLocales: () => [...languages],
};

export type Text = (key: TextKey, parameters?: Readonly<Record<string, string | number>>) => string;

/** Returns the texts of the chosen language; an unknown key does not compile. */
export const useText = (): Text => {
  const translate = useTranslate();
  return useCallback<Text>((key, parameters) => translate(`app.${key}`, parameters), [translate]);
};

export const useLanguage = (): Language => (useLocale() === 'en' ? 'en' : 'zh-CN');

/** Sets the language of the document, for the browser, screen readers and fonts. */
export const usePageLanguage = (): void => {
  const language = useLanguage();
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
};
