import { useLocale, useTranslate } from 'ra-core';
import polyglotI18nProvider from 'ra-i18n-polyglot';
import raEnglish from 'ra-language-english';
import { useCallback, useEffect } from 'react';
import { en } from './en.ts';
import { zhCN } from './zh-cn.ts';

export type Language = 'zh-CN' | 'en';

export const languages: readonly { readonly locale: Language; readonly name: string }[] = [
  { locale: 'zh-CN', name: '简体中文' },
  { locale: 'en', name: 'English' },
];

const { ra } = raEnglish;

/** The few texts that ra-core shows by itself; everything else is shown by these pages. */
const raChinese = {
  ...ra,
  auth: { ...ra.auth, auth_check_error: '请先登录' },
  message: { ...ra.message, select_all_limit_reached: '项目过多，仅选中了前 %{max} 项。' },
  notification: {
    ...ra.notification,
    http_error: '与服务器通信出错',
    i18n_error: '无法加载所选语言',
    item_doesnt_exist: '记录不存在',
    logged_out: '登录已失效，请重新登录。',
    not_authorized: '您无权访问该资源。',
  },
};

const messages = {
  'zh-CN': { ra: raChinese, app: zhCN },
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
