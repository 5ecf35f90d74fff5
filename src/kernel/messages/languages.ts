/** The choice of a response's language: the default one, or the best match for `Accept-Language`. */

import { BoundedCache } from '../bounded-cache.ts';
import { type Catalogue, type Locale, locales } from './catalogue.ts';
import { catalogueOf } from './messages.ts';

/** Characters and ranges of an `Accept-Language` that count; browsers send fewer than ten ranges. */
const maxHeaderLength = 1_024;
const maxRanges = 32;

/** One range of an `Accept-Language`, in lower case, with its quality from 0 to 1. */
interface LanguageRange {
  readonly range: string;
  readonly quality: number;
}

/** `de`, `de-AT;q=0.8` or `*;q=0.1` (RFC 9110, 12.5.4; RFC 4647, 2.1). */
const rangeForm = /^(\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

/** Returns the valid ranges of a header, the preferred ones first. */
const rangesOf = (header: string): readonly LanguageRange[] => {
  const items = header.slice(0, maxHeaderLength).toLowerCase().split(',', maxRanges);
  return items
    .flatMap((item): LanguageRange[] => {
      const [, range, quality = '1'] = rangeForm.exec(item.trim()) ?? [];
      return range === undefined ? [] : [{ range, quality: Number(quality) }];
    })
    .sort((one, other) => other.quality - one.quality);
};

/** `zh-hans-cn`, `zh-hans`, `zh` (RFC 4647, 3.4); a single character never ends a range. */
const truncations = (range: string): readonly string[] => {
  const parts = range.split('-');
  return parts
    .map((_part, index) => parts.slice(0, parts.length - index))
    .filter((some) => some.length === 1 || some.at(-1)?.length !== 1)
    .map((some) => some.join('-'));
};

const isWithin = (tag: string, range: string): boolean => tag === range || tag.startsWith(`${range}-`);

/**
 * Returns the language for an `Accept-Language`: that of the most preferred range for which there is one, and the first
 * of `known` where the header names none of them, is malformed or is missing. `de-AT` is satisfied by `de`, and `zh` by
 * `zh-CN`. A language with a quality of 0 is not chosen for a wider range or `*`.
 * @param known languages by preference of the service, at least one
 */
export const negotiateLanguage = (header: string | undefined, known: readonly Locale[]): Locale => {
  const [fallback = ''] = known;
  if (header === undefined) return fallback;
  const ranges = rangesOf(header);
  const tagOf = (locale: Locale): string => locale.toLowerCase();
  const isRefused = (locale: Locale): boolean =>
    ranges.some(({ range, quality }) => quality === 0 && isWithin(tagOf(locale), range)) &&
    !ranges.some(({ range, quality }) => quality > 0 && range === tagOf(locale));
  const accepted = known.filter((locale) => !isRefused(locale));
  const isNamed = (locale: Locale): boolean => ranges.some(({ range }) => isWithin(tagOf(locale), range));
  for (const { range, quality } of ranges) {
    if (quality === 0) break;
    if (range === '*') {
      const other = accepted.find((locale) => !isNamed(locale));
      if (other !== undefined) return other;
      continue;
    }
    for (const shorter of truncations(range)) {
      const found =
        accepted.find((locale) => tagOf(locale) === shorter) ??
        accepted.find((locale) => isWithin(tagOf(locale), shorter));
      if (found !== undefined) return found;
    }
  }
  return fallback;
};

/** The languages of the service. */
export interface Languages {
  /** All languages, by their tags. */
  readonly catalogues: ReadonlyMap<Locale, Catalogue>;
  /** Language of requests that ask for none, and of work without a request. */
  readonly first: Catalogue;
  /** The languages that `LOCALE=auto:…` declares, in order; undefined with any other value. */
  readonly declared: readonly Locale[] | undefined;
  /** The languages of responses and mails, the first one first. */
  readonly spoken: readonly Locale[];
  /** Returns the language for an `Accept-Language`; undefined where all responses are in one language. */
  readonly choose: ((header: string | undefined) => Catalogue) | undefined;
}

/** The language as that of a user: null unless `LOCALE=auto:…` declares it. */
export const languageOfUser = ({ declared }: Languages, locale: Locale | null): Locale | null =>
  locale !== null && declared?.includes(locale) ? locale : null;

/** Headers whose language is remembered. A result depends on the header alone, so it never becomes untrue. */
const rememberedHeaders = 256;

const chooser = (
  catalogues: Languages['catalogues'],
  first: Catalogue,
  known: readonly Locale[],
): NonNullable<Languages['choose']> => {
  const remembered = new BoundedCache<Catalogue>(rememberedHeaders);
  const find = (header: string): Catalogue => catalogues.get(negotiateLanguage(header, known)) ?? first;
  return (header) => {
    if (header === undefined) return first;
    return header.length > maxHeaderLength ? find(header) : remembered.getOrMake(header, () => find(header));
  };
};

/** The setting of languages: `LOCALE`. */
export interface LanguageSetting {
  /** The first language. */
  readonly locale: Locale;
  /** Whether each request chooses by its `Accept-Language`, else all responses are in `locale`. */
  readonly negotiated: boolean;
  /** The languages among which requests choose, in order; undefined for all that there are. */
  readonly declared?: readonly Locale[] | undefined;
}

/** The languages whose texts stand for missing texts of the application, in order. */
export const fallbacksOf = ({ locale, declared }: LanguageSetting): readonly Locale[] =>
  declared ?? ['en', locale];

const spokenWith = ({ negotiated, declared }: LanguageSetting, first: Locale, all: Iterable<Locale>) => {
  if (!negotiated) return [first];
  return declared ?? [first, ...[...all].filter((locale) => locale !== first)];
};

/**
 * Creates the languages of a service. A declared language without a catalogue has the service's texts in English, and
 * those that the application has in it.
 * @throws Error where there is no catalogue for a single `locale`
 */
export const createLanguages = (setting: LanguageSetting, own: readonly Catalogue[] = []): Languages => {
  const { locale, negotiated, declared } = setting;
  const named = [...locales.map(catalogueOf), ...own];
  const unnamed = (declared ?? []).filter((each) => !named.some((catalogue) => catalogue.locale === each));
  const all = [...named, ...unnamed.map((each) => ({ ...catalogueOf(each), locale: each }))];
  const fallbacks = fallbacksOf(setting);
  const catalogues = new Map(all.map((catalogue) => [catalogue.locale, { ...catalogue, fallbacks }]));
  const first = catalogues.get(locale);
  if (first === undefined)
    throw new Error(
      `LOCALE=${locale}: there is no such language (${[...catalogues.keys()].join(', ')}, auto); locales/${locale}.ts of the application would add it`,
    );
  const spoken = spokenWith(setting, first.locale, catalogues.keys());
  const choose = negotiated ? chooser(catalogues, first, spoken) : undefined;
  return { catalogues, first, declared, spoken, choose };
};
