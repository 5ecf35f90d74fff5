import { describe, expect, it } from 'vitest';
import { rules, sentencesOf, sentencesThatBreak, unwantedWords } from './english.ts';

describe('English texts', () => {
  it.each(Object.keys(rules))('English texts do not hold %s', (rule) => {
    expect(sentencesThatBreak(rule)).toEqual([]);
  });

  it('English texts are read as sentences, by rules that notice each fault', () => {
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
