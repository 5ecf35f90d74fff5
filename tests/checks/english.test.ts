import { describe, expect, it } from 'vitest';
import { findFaults, readCeilings, rules, sentencesOf, unwantedWords } from './english.ts';

describe('English texts', () => {
  const faults = findFaults();
  const ceilings = readCeilings();

  it.each(Object.keys(rules))('do not hold more often than before: %s', (rule) => {
    const grown = Object.entries(faults)
      .filter(([file, found]) => (found[rule]?.length ?? 0) > (ceilings[file]?.[rule] ?? 0))
      .map(([file, found]) => ({ file, allowed: ceilings[file]?.[rule] ?? 0, found: found[rule] }));
    expect(grown).toEqual([]);
  });

  it('have no ceiling above their count: run node tests/checks/english.ts', () => {
    const loose = Object.entries(ceilings).flatMap(([file, counts]) =>
      Object.entries(counts)
        .filter(([rule, count]) => count > (faults[file]?.[rule]?.length ?? 0))
        .map(([rule]) => `${file}: ${rule}`),
    );
    expect(loose).toEqual([]);
  });

  it('are read as sentences, by rules that notice each fault', () => {
    expect(unwantedWords().get('audit list')).toBe('audit log');
    expect(unwantedWords().get('anew')).toBe('again, from the start');
    const page = [
      '# What a heading may say',
      '',
      'Whoever calls is told\nwhat happened. What is taken is 422. What is a scope?',
      '',
      '```sh\nwhoever\n```',
      '',
      `| a | ${'word '.repeat(41)}|`,
    ].join('\n');
    const found = Object.values(rules).map((breaks) => sentencesOf(page).filter(breaks));
    expect(found).toEqual([
      ['Whoever calls is told what happened.'],
      ['Whoever calls is told what happened.', 'What is taken is 422.'],
      ['word '.repeat(41).trim()],
    ]);
  });
});
