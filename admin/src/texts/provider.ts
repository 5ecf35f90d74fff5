import { type I18nProvider, useLocale, useTranslate } from 'ra-core';
import { useCallback, useEffect } from 'react';
import type { Catalogue } from '../../../src/kernel/messages/catalogue.ts';
import { store } from '../store.ts';
import type { SameKeys } from './same-keys.ts';
import type { Texts, Tree } from './texts.ts';
import type { zhCN } from './zh-cn.ts';
import type { zhCNLater } from './zh-cn-later.ts';

export type Language = 'zh-CN' | 'en';

export const languages: readonly { readonly locale: Language; readonly name: string }[] = [
  { locale: 'zh-CN', name: '简体中文' },
  { locale: 'en', name: 'English' },
];

/** Words of the reasons that explanations give. */
export type ReasonWords = Pick<Catalogue, 'reasons' | 'callers' | 'actions'>;

interface Later extends ReasonWords {
  readonly later: SameKeys<typeof zhCNLater>;
}

interface Loaders {
  readonly first: () => Promise<{ readonly texts: Texts }>;
  readonly later: () => Promise<Later>;
}

const loaders: Readonly<Record<Language, Loaders>> = {
  'zh-CN': { first: () => import('./all-zh-cn.ts'), later: () => import('./later-zh-cn.ts') },
  en: { first: () => import('./all-en.ts'), later: () => import('./later-en.ts') },
};

const loaded = new Map<Language, Texts>();
const loadedLater = new Map<Language, Later>();

/** Whether a page has been shown that has texts beside the first ones. */
let hasLater = false;

/** Loads a language; the pages ask for no text of it before. */
export const loadTexts = async (language: Language): Promise<void> => {
  const { first, later } = loaders[language];
  await Promise.all([
    loaded.has(language) ? undefined : first().then(({ texts }) => loaded.set(language, texts)),
    !hasLater || loadedLater.has(language)
      ? undefined
      : later().then((module) => loadedLater.set(language, module)),
  ]);
};

/** Loads the texts that no list of records needs. Pages that do ask for none of them before. */
export const loadLaterTexts = (): Promise<void> => {
  hasLater = true;
  return loadTexts(current);
};

const textsOf = (language: Language): Texts => {
  const texts = loaded.get(language);
  if (texts === undefined) throw new Error(`the texts of ${language} are not loaded`);
  return texts;
};

/** Words of the service for the reasons of an explanation, in a language of the pages. */
export const reasonWords = (language: Language): ReasonWords => {
  const words = loadedLater.get(language);
  if (words === undefined) throw new Error(`the later texts of ${language} are not loaded`);
  return words;
};

/** The messages of the service in a language of the pages. */
export const serviceTexts = (language: Language): Texts['service'] => textsOf(language).service;

const isLanguage = (name: unknown): name is Language => name === 'en' || name === 'zh-CN';

/** The service's own language; the page speaks it too until the user chooses another one in this browser. */
export const serviceLanguage: Language = document.documentElement.lang === 'en' ? 'en' : 'zh-CN';

const chosenBefore: unknown = store.getItem<string>('locale');

/** The language that the pages begin with. */
export const firstLanguage: Language = isLanguage(chosenBefore) ? chosenBefore : serviceLanguage;

let current = firstLanguage;

const textAt = (tree: Tree, path: string): string | undefined => {
  let at: string | Tree | undefined = tree;
  for (const step of path.split('.')) at = typeof at === 'object' ? at[step] : undefined;
  return typeof at === 'string' ? at : undefined;
};

/** Forms of a text by number: one, and all others. Chinese texts have one form. */
const formOf = (text: string, count: unknown): string => {
  const [one = '', others = one] = text.split(' |||| ');
  return count === undefined || Number(count) === 1 ? one : others;
};

/** The provider of ra-core: texts by path, with `%{name}` filled in, in the form of `smart_count` or `count`. */
export const i18nProvider: I18nProvider = {
  translate: (key, options = {}) => {
    const found =
      textAt(textsOf(current) as unknown as Tree, key) ??
      textAt({ app: loadedLater.get(current)?.later ?? {} }, key);
    if (found === undefined) return typeof options['_'] === 'string' ? options['_'] : key;
    return formOf(found, options['smart_count'] ?? options['count']).replaceAll(
      /%\{(\w+)\}/g,
      (whole, name: string) => (options[name] === undefined ? whole : String(options[name])),
    );
  },
  changeLocale: async (locale) => {
    const language = isLanguage(locale) ? locale : serviceLanguage;
    await loadTexts(language);
    current = language;
  },
  getLocale: () => current,
  getLocales: () => [...languages],
};

/** Every key of the texts, as a path. */
type KeyOf<Tree, Path extends string = ''> = {
  [Name in keyof Tree & string]: Tree[Name] extends string
    ? `${Path}${Name}`
    : KeyOf<Tree[Name], `${Path}${Name}.`>;
}[keyof Tree & string];

export type TextKey = KeyOf<typeof zhCN & typeof zhCNLater>;

export type Text = (key: TextKey, parameters?: Readonly<Record<string, string | number>>) => string;

/** The texts of these pages in the chosen language; a key that does not exist does not compile. */
export const useText = (): Text => {
  const translate = useTranslate();
  return useCallback<Text>((key, parameters) => translate(`app.${key}`, parameters), [translate]);
};

export const useLanguage = (): Language => (useLocale() === 'en' ? 'en' : 'zh-CN');

/** Tells the browser, and so screen readers and fonts, which language the page is in. */
export const usePageLanguage = (): void => {
  const language = useLanguage();
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
};
