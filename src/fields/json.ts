/**
 * The field type `json`: any JSON value, stored as compact text with its numbers and the order of its keys
 * unchanged.
 */

import { ExactNumber, exactText, parseExact } from '../kernel/exact-json.ts';
import { isStorableText, type Json, type JsonObject } from '../kernel/json.ts';
import { type Label, type Locale, labelText } from '../kernel/messages.ts';
import { anything, type OptionTable } from '../kernel/options.ts';
import {
  type CommonOptions,
  commonOptions,
  definition,
  type FieldDefinition,
  type FieldType,
  type JsonSchema,
  type Strict,
} from './field.ts';

export interface JsonOptions extends CommonOptions {
  readonly default?: Json;
  /** A value that is valid, for the API description and the samples of the documentation page. */
  readonly example?: Json;
}

/**
 * Levels of arrays and objects in one value. SQLite's JSON functions stop at 1,000, other readers sooner.
 * @limit Fields | nesting of a `json` field | count | 422
 */
const maxLevels = 100;

/** A body may contain numbers that no double has. */
const asExact = (value: unknown): ExactNumber | undefined =>
  value instanceof ExactNumber ? value : undefined;

/** True if both databases and every JSON reader accept the value; the recursion is bounded by `maxLevels`. */
const isFit = (value: Json, levels: number): boolean => {
  if (typeof value === 'string') return isStorableText(value);
  // JSON.parse reads 1e400 as Infinity, which JSON.stringify would write as null.
  if (typeof value === 'number') return Number.isFinite(value);
  if (asExact(value) !== undefined) return Number.isFinite(Number(asExact(value)?.text));
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item: Json) => isFit(item, levels - 1));
  // Pairs of a large object take twice as long.
  for (const key of Object.keys(value))
    if (!isStorableText(key) || !isFit((value as JsonObject)[key] ?? null, levels - 1)) return false;
  return true;
};

const titles: Readonly<Record<'object' | 'array' | 'string' | 'number' | 'boolean', Label>> = {
  object: { 'zh-CN': '对象', en: 'Object' },
  array: { 'zh-CN': '列表', en: 'List' },
  string: { 'zh-CN': '文本', en: 'Text' },
  number: { 'zh-CN': '数字', en: 'Number' },
  boolean: { 'zh-CN': '是否', en: 'Yes or no' },
};

/** A form for each type of value; items of lists are of any type again, down to some levels. */
const alternatives = (locale: Locale, levels: number): JsonSchema[] => {
  const alternativeOf = (type: keyof typeof titles, more: JsonSchema = {}): JsonSchema => ({
    title: labelText(titles[type], locale),
    type,
    ...more,
  });
  return [
    alternativeOf('object', { additionalProperties: true }),
    alternativeOf('array', {
      items:
        levels === 0 ? {} : { anyOf: [...alternatives(locale, levels - 1), { title: '—', type: 'null' }] },
    }),
    alternativeOf('string'),
    alternativeOf('number'),
    alternativeOf('boolean'),
  ];
};

/** A text that is not JSON becomes a value that the check refuses: unchanged, it would be a valid value. */
const fromText = (text: string): Json => {
  if (text === '') return null;
  try {
    return parseExact(text) as Json;
  } catch {
    return '\0';
  }
};

/**
 * Any JSON value, stored and returned as compact text, with keys and numbers as they were sent. Null is the absent
 * value.
 */
export const json = {
  kind: 'json',
  column: 'json',
  define: <const Options extends JsonOptions = JsonOptions>(
    options?: Strict<Options, JsonOptions>,
  ): FieldDefinition<Options, Json, Json, 'null'> => definition(json, options),
  options: { ...commonOptions, example: anything } satisfies OptionTable<JsonOptions>,
  input: ({ example }) => {
    const type = ['object', 'array', 'string', 'number', 'boolean'];
    const schema = { type, additionalProperties: true, items: {} };
    return example === undefined ? schema : { ...schema, examples: [example] };
  },
  fromExact: (number) => number as unknown as Json,
  check: (value) => (isFit(value, maxLevels) ? undefined : { rule: 'json' }),
  encode: (value) => {
    if (!isFit(value, maxLevels)) throw new TypeError('not a storable JSON value');
    return exactText(value);
  },
  decode: (column) => JSON.parse(String(column)) as Json,
  operators: ['null'],
  parse: () => undefined,
  fromText,
  searchable: false,
  sortable: false,
  indexBytes: () => Number.POSITIVE_INFINITY,
  form: (_options, locale) => ({ alternatives: alternatives(locale, 1) }),
} satisfies FieldType<JsonOptions>;
