import { useLocale, useTranslate } from 'ra-core';
import polyglotI18nProvider from 'ra-i18n-polyglot';
import raEnglish from 'ra-language-english';
import { useCallback, useEffect } from 'react';
import { en } from './en.ts';
import { raChinese } from './ra-zh-cn.ts';
import { zhCN } from './zh-cn.ts';

export type Language = 'zh-CN' | 'en';

export const languages: readonly { readonly locale: Language; readonly name: string }[] = [
  { locale: 'zh-CN', name: '简体中文' },
  { locale: 'en', name: 'English' },
];

const messages = {
  'zh-CN': { ...raChinese, app: zhCN },
  en: { ...raEnglish, app: en },
};

/** The service's own language; the page speaks it too until the user chooses another one in this browser. */
export const serviceLanguage: Language = document.documentElement.lang === 'en' ? 'en' : 'zh-CN';

export const i18nProvider = polyglotI18nProvider(
  (locale) => messages[locale === 'en' ? 'en' : 'zh-CN'],
  serviceLanguage,
  [...languages],
  { allowMissing: true },
);

/** Every key of the texts, as a path. */
type KeyOf<Tree, Path extends string = ''> = {
  [Name in keyof Tree & string]: Tree[Name] extends string
    ? `${Path}${Name}`
    : KeyOf<Tree[Name], `${Path}${Name}.`>;
}[keyof Tree & string];

export type TextKey = KeyOf<typeof zhCN>;

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
