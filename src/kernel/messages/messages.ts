import type { FieldError } from '../problem.ts';
import { type Catalogue, fill, type Locale, type RuleName } from './catalogue.ts';
import { en } from './en.ts';
import { zhCN } from './zh-CN.ts';

const catalogues: Readonly<Record<Locale, Catalogue>> = { 'zh-CN': zhCN, en };

export const catalogueOf = (locale: Locale): Catalogue => catalogues[locale];

/** A label in every language that the service speaks; a plain string serves all of them. */
export type Label = string | Readonly<Record<Locale, string>>;

export const labelText = (label: Label, locale: Locale): string =>
  typeof label === 'string' ? label : label[locale];

/** The validation message of one field: label included, the rule's bounds filled in. */
export const fieldError = (
  catalogue: Catalogue,
  field: string,
  label: string,
  rule: RuleName,
  params: Readonly<Record<string, string | number>> = {},
): FieldError => ({ field, rule, message: fill(catalogue.rules[rule], { label, ...params }) });
