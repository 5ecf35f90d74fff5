/**
 * Shapes of the texts. Each has the keys of both languages: a catalogue that lacks one does not compile where it is
 * loaded.
 */

import type { Catalogue } from '../../../src/kernel/messages.ts';
import type { app as englishFirst } from './en/first.ts';
import type { outside as englishOutside } from './en/outside.ts';
import type { app as englishPages } from './en/pages.ts';
import type { app as chineseFirst } from './zh-CN/first.ts';
import type { outside as chineseOutside } from './zh-CN/outside.ts';
import type { app as chinesePages } from './zh-CN/pages.ts';

export interface Tree {
  readonly [key: string]: string | Tree;
}

/** Texts that are loaded before the first paint. */
export type FirstTexts = typeof chineseFirst & typeof englishFirst;

/** Texts that are loaded with the first page that is not a list of records. */
export type PageTexts = typeof chinesePages & typeof englishPages;

/** Texts of the sign-in. */
export type OutsideTexts = typeof chineseOutside & typeof englishOutside;

/** Texts shown by other code. */
export interface OtherTexts {
  /** Texts of ra-core. */
  readonly ra: Tree;
  /** Messages of the service. */
  readonly service: Pick<Catalogue, 'explained' | 'problems'>;
}

/** Words of the reasons that explanations give. */
export type ReasonWords = Pick<Catalogue, 'reasons' | 'callers' | 'actions'>;

/** Every key of the texts, as a path. */
type KeyOf<Texts, Path extends string = ''> = {
  [Name in keyof Texts & string]: Texts[Name] extends string
    ? `${Path}${Name}`
    : KeyOf<Texts[Name], `${Path}${Name}.`>;
}[keyof Texts & string];

export type TextKey = KeyOf<FirstTexts & PageTexts>;
