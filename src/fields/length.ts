import type { Json } from '../kernel/json.ts';
import { numeric, type OptionTable, textual } from '../kernel/options.ts';
import { type CommonOptions, commonOptions, type JsonSchema, type RuleViolation } from './field.ts';
import { patternFlaw } from './pattern.ts';
import { boundsFlaw, isStorable, withoutUndefined } from './values.ts';

/** Options of texts that people write. Lengths are Unicode code points. */
export interface LengthOptions extends CommonOptions {
  readonly default?: string;
  readonly min?: number;
  readonly max?: number;
  /**
   * A regular expression (flag `u`) that must match somewhere: anchor it with `^` and `$`. It runs only on texts
   * within `max`. One whose matching time can explode on such a text, as `^(a+)+$` does, is refused at start: repeat
   * nothing that can match in two ways, as in `^[a-z]+(-[a-z]+)*$`. Back-references and look-behind are refused.
   */
  readonly pattern?: string;
}

export const lengthOptions = {
  ...commonOptions,
  min: numeric,
  max: numeric,
  pattern: textual,
} satisfies OptionTable<LengthOptions>;

/** Characters that one PostgreSQL value can take on its way through a body: the service's default body limit. */
export const maxCharacters = 1_048_576;

const isLength = (length: number): boolean =>
  Number.isInteger(length) && length >= 0 && length <= maxCharacters;

/** The flaw of the options of a text. */
export const lengthFlaw = (options: LengthOptions, max: number): string | undefined => {
  for (const [name, length] of Object.entries({ min: options.min, max: options.max }))
    if (length !== undefined && !isLength(length))
      return `${name} must be a whole number from 0 to ${maxCharacters}`;
  const flaw = boundsFlaw(options.min, max);
  if (flaw !== undefined || options.pattern === undefined) return flaw;
  return patternFlaw(options.pattern, max);
};

/** A required text is never blank, so forms may demand one character. */
const minimumLength = ({ min, required }: LengthOptions): number | undefined =>
  required === true ? Math.max(min ?? 0, 1) : min;

export const lengthSchema = (options: LengthOptions, max: number): JsonSchema => ({
  type: 'string',
  ...withoutUndefined({ minLength: minimumLength(options), maxLength: max, pattern: options.pattern }),
});

export const lengthBounds = ({ min, pattern }: LengthOptions, max: number) =>
  withoutUndefined<string | number>({ min, max, pattern });

/** The body parser refuses such texts earlier; other callers must not store them either. */
export const checkStorable = (value: Json): RuleViolation | undefined =>
  typeof value === 'string' && isStorable(value) ? undefined : { rule: 'pattern' };
