import { errorMessage } from '../kernel/error-message.ts';
import { type PatternCost, patternCost } from './pattern-cost.ts';

/** Steps of one match that take about 50 ms. */
const maxSteps = 10_000_000;

/** A back-reference or a look-behind, or else a part of a pattern without either. */
const part = /(\\[1-9]|\\k<|\(\?<[=!])|\\.|\[(?:\\.|[^\]\\])*\]/gsu;

/** True if a pattern has a part whose steps cannot be bounded: a match may try every way to divide a text. */
const hasUnboundedPart = (source: string): boolean =>
  [...source.matchAll(part)].some(([, unbounded]) => unbounded !== undefined);

/** The growth of the steps with the length N of a text. */
const growthOf = (source: string, longest: number, steps: number): string => {
  const twice = patternCost(source, 2 * longest)?.steps ?? Infinity;
  return Number.isFinite(twice) ? `N^${Math.round(Math.log2(twice / steps))}` : '2^N';
};

const adviceFor = ({ ambiguous, isAnchored }: PatternCost): string => {
  if (ambiguous !== undefined) return `repeat nothing that can match in two ways, as ${ambiguous} here`;
  return isAnchored ? 'repeat less' : 'begin it with ^';
};

/**
 * The flaw of a pattern (flag `u`) that is applied to texts of up to `longest` characters, as a clause for a
 * developer: it does not compile, or its run time cannot be bounded.
 */
export const patternFlaw = (source: string, longest: number): string | undefined => {
  try {
    new RegExp(source, 'u');
  } catch (error) {
    return `pattern: ${errorMessage(error)}`;
  }
  if (hasUnboundedPart(source))
    return `pattern ${source}: a back-reference or look-behind can take any time; write it without, or check the value in beforeSave`;
  const cost = patternCost(source, longest);
  if (cost === undefined) return `pattern ${source}: a group with modifiers, as (?i:…), is not supported`;
  if (cost.steps <= maxSteps) return undefined;
  return (
    `pattern ${source} can take ${growthOf(source, longest, cost.steps)} steps on a text of N characters, of which ` +
    `max allows ${longest}: ${adviceFor(cost)}, or lower max`
  );
};
