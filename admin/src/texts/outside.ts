/**
 * Texts of the sign-in. They are part of its script, in both languages: one more request would cost more than the
 * second language.
 */

import { outside as inEnglish } from './en/outside.ts';
import { type Language, useLanguage } from './provider.ts';
import type { OutsideTexts } from './texts.ts';
import { outside as inChinese } from './zh-CN/outside.ts';

const texts: Readonly<Record<Language, OutsideTexts>> = { en: inEnglish, 'zh-CN': inChinese };

/** These texts in the chosen language. */
export const useOutsideTexts = (): OutsideTexts => texts[useLanguage()];

/** A text with the values in place of `%{name}`. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/%\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
