import { expect, it } from 'vitest';
import { searchWords, textRank } from './search-words.ts';

const rank = (q: string, text: string): number => textRank(searchWords(q), text);

it('a text without the words has no rank', () => {
  for (const [q, text] of [
    ['cat', ''],
    ['cat', 'concat, scatter'],
    ['cat dog', 'catalogue'],
    ['检索', '索检'],
  ] as const)
    expect([q, text, rank(q, text)]).toEqual([q, text, 0]);
});

it.each([
  ['a frequent word', 'cat', 'the cat and the cat', 'the cat and the dog'],
  ['a word in a shorter text', 'cat', 'a cat', 'a cat that sits on a wall and looks at the birds'],
  ['the word itself', 'cat', 'my cat sat', 'my category'],
  ['both words', 'cat dog', 'cat and dog', 'cat and cat'],
  ['an accented word', 'ubersicht', 'die Übersicht der Häfen', 'die Sicht der Häfen'],
  ['Chinese', '检索', '检索与检索的艺术', '检索与引擎的艺术'],
])('%s counts more', (_, q, better, other) => {
  expect(rank(q, better)).toBeGreaterThan(rank(q, other));
  expect(rank(q, `${better}.`)).toBeGreaterThan(0);
});

it('the beginning of a word counts only for the last one', () => {
  expect(rank('dog cat', 'category')).toBeGreaterThan(0);
  expect(rank('cat dog', 'category')).toBe(0);
});
