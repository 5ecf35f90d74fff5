import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { PatternQuestion, PatternVerdict } from './pattern.ts';

/** A process of its own: reads a question from its input, prints the verdict. */

/** As much of the package `recheck` as is used here. */
interface Recheck {
  checkSync(source: string, flags: 'u', parameters: Readonly<Record<string, number>>): Diagnostics;
}

interface Diagnostics {
  readonly status: 'safe' | 'vulnerable' | 'unknown';
  /** By theory, or by trying. */
  readonly checker?: 'automaton' | 'fuzz';
  readonly complexity?: { readonly type: string; readonly degree?: number; readonly isFuzz: boolean };
  readonly attack?: { readonly pattern: string };
  readonly error?: { readonly kind: string };
}

/** Steps of one match that nobody notices: some 50 ms. */
const mostSteps = 10_000_000;

/** Longest text that an attack is looked for on; what takes too long on it does so on longer ones. */
const longestAttack = 300_000;

/** Milliseconds; what is undecided until then has used more memory than a start should. */
const patience = 20_000;

/** What is tried where theory gives no answer (counts, lookaround, back references): a small part of recheck's own. */
const search = {
  maxInitialGenerationSize: 50,
  maxGenerationSize: 20,
  maxIteration: 3,
  crossoverSize: 5,
  mutationSize: 10,
};

const isBearable = ({ complexity }: Diagnostics, longest: number): boolean =>
  complexity?.type === 'polynomial' &&
  // What was found by trying has taken the steps; what was derived says only how they grow.
  !complexity.isFuzz &&
  longest ** (complexity.degree ?? Infinity) <= mostSteps;

const judge = ({ source, longest }: PatternQuestion): PatternVerdict => {
  const recheck: Recheck = createRequire(import.meta.url)('#recheck');
  const length = Math.min(longest, longestAttack);
  const found = recheck.checkSync(source, 'u', {
    ...search,
    timeout: patience,
    attackLimit: mostSteps,
    recallLimit: mostSteps,
    maxAttackStringSize: length,
    maxRecallStringSize: length,
  });
  if (found.status === 'safe' || isBearable(found, longest))
    return { kind: 'safe', proved: found.checker === 'automaton' };
  if (found.status === 'unknown') return { kind: 'unknown', reason: found.error?.kind ?? 'no verdict' };
  const { type, degree } = found.complexity ?? {};
  return {
    kind: 'slow',
    growth: type === 'polynomial' ? `N^${degree}` : '2^N',
    attack: found.attack?.pattern ?? '',
  };
};

process.stdout.write(JSON.stringify(judge(JSON.parse(readFileSync(0, 'utf8')))));
