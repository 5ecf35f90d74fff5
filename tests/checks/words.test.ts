import { describe, expect, it } from 'vitest';
import { countWords, readCeilings } from './words.ts';

describe('words that the code does without', () => {
  const ceilings = readCeilings();
  const counts = Object.entries(countWords());

  it('ruled-out words are looked for in every folder', () => {
    expect(counts.map(([folder]) => folder)).toEqual(
      expect.arrayContaining(['src/cli', 'client', 'admin', 'bench']),
    );
  });

  it.each(counts)('ruled-out words do not become more in %s', (folder, found) => {
    const grown = Object.entries(found)
      .map(([rule, count]) => ({ rule, count, ceiling: ceilings[folder]?.[rule] ?? 0 }))
      .filter(({ count, ceiling }) => count > ceiling);
    expect(grown).toEqual([]);
  });
});
