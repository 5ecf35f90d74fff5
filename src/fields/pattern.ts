import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programFile } from '../kernel/package-files.ts';

export interface PatternQuestion {
  readonly source: string;
  /** Most characters of a text that the pattern is matched with. */
  readonly longest: number;
}

/** `growth` of the steps with the length N of a text; `attack` is code that makes such a text. */
export type PatternVerdict =
  /** `proved`: by theory; otherwise no slow text was found by trying. */
  | { readonly kind: 'safe'; readonly proved: boolean }
  | { readonly kind: 'slow'; readonly growth: string; readonly attack: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** One character, or a class of them: what cannot match in two ways. */
const atom = /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\[^1-9kbBpPucx]|\[(?:\\.|[^\]\\])*\]|[^\\()[\]{}|*+?^$]/y;
const count = /(?:[*+?]|\{(\d+)(,\d*)?\})\??/y;

const next = (form: RegExp, text: string, at: number): RegExpExecArray | null => {
  form.lastIndex = at;
  return form.exec(text);
};

/**
 * Whether a pattern is a row of characters and classes from the beginning, of which one at most may be there more or
 * less often: it gives back a character at a time, and the rest fails or fits where it stands. Most patterns are such.
 */
const isPlainRow = (source: string): boolean => {
  if (!source.startsWith('^')) return false;
  const end = source.endsWith('$') && !source.endsWith('\\$') ? source.length - 1 : source.length;
  let varying = 0;
  for (let at = 1; at < end; ) {
    const part = next(atom, source, at);
    if (part === null) return false;
    at += part[0].length;
    const times = next(count, source, at);
    if (times === null) continue;
    at += times[0].length;
    if (times[1] === undefined || times[2] !== undefined) varying += 1;
  }
  return varying <= 1;
};

const program = fileURLToPath(programFile('fields/pattern-child'));

/** Milliseconds for the verdict of a process, its start included. */
const patience = 30_000;

/** Its heap, in MiB. */
const heapLimit = 512;

/**
 * Asks `recheck` in a process of its own: its 150 MB are gone afterwards, and a pattern that it does not come to an
 * end with ends that process only.
 */
const ask = (question: PatternQuestion): PatternVerdict => {
  const { status, stdout, error } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${heapLimit}`, program],
    { input: JSON.stringify(question), timeout: patience, env: {}, encoding: 'utf8', killSignal: 'SIGKILL' },
  );
  if (status === 0) return JSON.parse(stdout) as PatternVerdict;
  return { kind: 'unknown', reason: error?.message ?? 'no verdict' };
};

const verdicts = new Map<string, PatternVerdict>();

const verdictOn = (source: string, longest: number): PatternVerdict => {
  if (isPlainRow(source)) return { kind: 'safe', proved: true };
  const key = `${longest} ${source}`;
  const verdict = verdicts.get(key) ?? ask({ source, longest });
  verdicts.set(key, verdict);
  return verdict;
};

/** Most characters of a text for a pattern that was tried and not proved: with look-ahead, or large counts. */
const maxUnproved = 1_000;

/** A back-reference or a look-behind, or else a part of a pattern that holds neither. */
const part = /(\\[1-9]|\\k<|\(\?<[=!])|\\.|\[(?:\\.|[^\]\\])*\]/gsu;

/** What no check can bound: a match may take as many steps as there are ways to divide a text. */
const hasUnboundedPart = (source: string): boolean =>
  [...source.matchAll(part)].some(([, unbounded]) => unbounded !== undefined);

/**
 * What is wrong with a pattern (flag `u`) that texts of up to `longest` characters are matched with, as a clause for
 * a developer: it does not compile, or some text takes it longer than a request may. Waits for the verdict, since a
 * model is defined at once or not at all.
 */
export const patternFlaw = (source: string, longest: number): string | undefined => {
  try {
    new RegExp(source, 'u');
  } catch (error) {
    return `pattern: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (hasUnboundedPart(source))
    return `pattern ${source}: a back-reference or look-behind can take any time; write it without, or check the value in beforeSave`;
  const verdict = verdictOn(source, longest);
  if (verdict.kind === 'safe') {
    if (verdict.proved || longest <= maxUnproved) return undefined;
    return `pattern ${source}: how long it can take cannot be proved; give the field a max of ${maxUnproved} or less, or leave out look-ahead and large counts`;
  }
  if (verdict.kind === 'unknown')
    return `pattern ${source}: how long it can take could not be told (${verdict.reason}); write it simpler`;
  return (
    `pattern ${source} can take ${verdict.growth} steps on a text of N characters, of which max allows ${longest}, ` +
    `for example on ${verdict.attack}: repeat nothing that can match in two ways, or lower max`
  );
};
