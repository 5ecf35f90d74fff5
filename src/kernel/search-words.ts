/**
 * Words of a full-text search. A query is divided here, in JavaScript; the databases divide the stored texts by SQL of
 * their own (`src/database/sqlite/search.ts`, `src/database/postgres/search.ts`). A test compares the three.
 *
 * A word is a sequence of letters and decimal digits, without case and accents. Chinese, Japanese and Korean have words
 * of one character and of two adjacent ones: a query of several characters finds texts with all of its pairs.
 */

/** Characters that are words by themselves, as the inside of a bracket: Han, kana, Hangul. */
export const singleCharacters = '々-〇ぁ-ゖゝ-ゟァ-ヺー-ヿ㐀-䶵一-鿌가-힣𠀀-𪛖𪜀-𫜴𫝀-𫠝';

/**
 * Characters of a record that are searched, shared equally among its fields. An entry of that many stays below the
 * limit of PostgreSQL, 1 MB, for any characters.
 * @limit Lists | searched characters of a record | characters | not searched
 */
export const searchedCharacters = 40_000;

/** Most fields of a search: PostgreSQL has four labels to tell them apart. */
export const mostSearchFields = 4;

/** Most characters of a word; further ones are ignored. */
export const longestWord = 500;

/**
 * Most words of a query.
 * @limit Lists | words of `q` in a full-text search | count | 400
 */
export const mostWords = 64;

/** Letters without a decomposition that count as another one, and these others, in the same order. */
export const equalLetters = { from: 'ςſµϐϑϕϖϰϱϵ', to: 'σsμβθφπκρε' } as const;

/** Letters whose accents are ignored: Unicode decomposes them into a letter and marks of this block. */
export const accents = '\u0300-\u036F';

const equals = new Map(
  [...equalLetters.from].map((letter, index) => [letter, equalLetters.to[index] ?? letter]),
);

/** A text in lower case, without accents. */
export const folded = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(new RegExp(`[${accents}]+`, 'gu'), '')
    .normalize('NFC')
    .replace(new RegExp(`[${equalLetters.from}]`, 'gu'), (letter) => equals.get(letter) ?? letter);

const isCharacters = new RegExp(`^[${singleCharacters}]`, 'u');
const wordSequence = new RegExp(`[${singleCharacters}]+|(?:(?![${singleCharacters}])[\\p{L}\\p{Nd}])+`, 'gu');

const pairs = (sequence: string): string[] => {
  const characters = [...sequence];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
};

/** Characters at the start of a field that `textRank` reads. */
export const rankedCharacters = 2000;

const endsWithLetter = new RegExp(`(?![${singleCharacters}])[\\p{L}\\p{Nd}]$`, 'u');
const startsWithLetter = new RegExp(`^(?![${singleCharacters}])[\\p{L}\\p{Nd}]`, 'u');

/**
 * Occurrences of a word in a folded text. One that only begins a longer word counts half if `isBeginning`, else not at
 * all.
 */
const occurrences = (word: string, text: string, isBeginning: boolean): number => {
  const isSingle = isCharacters.test(word);
  let count = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    const end = at + word.length;
    if (isSingle) count += 1;
    else if (endsWithLetter.test(text.slice(Math.max(0, at - 2), at))) continue;
    else if (!startsWithLetter.test(text.slice(end, end + 2))) count += 1;
    else if (isBeginning) count += 0.5;
  }
  return count;
};

/**
 * How well a text matches the words of a query, at least 0: frequent words count more, and words in a short text. It
 * depends on no other text, so the order of matches reveals nothing of records that the caller does not read.
 * @param words result of `searchWords`
 */
export const textRank = (words: readonly string[], text: string): number => {
  const searched = folded(text);
  let rank = 0;
  for (const [index, word] of words.entries()) {
    const count = occurrences(word, searched, index === words.length - 1);
    rank += count / (count + 1);
  }
  return rank / Math.log(Math.E + searched.length);
};

/** The distinct words of a query, in its order; the last one stands for every word that begins with it. */
export const searchWords = (query: string): readonly string[] => {
  const words = (folded(query).match(wordSequence) ?? []).flatMap((sequence) =>
    isCharacters.test(sequence) ? pairs(sequence) : [[...sequence].slice(0, longestWord).join('')],
  );
  // The last of equal words stays, so that the last word of the query remains the last.
  return words.filter((word, index) => !words.includes(word, index + 1));
};

const blocksOfFolded = [
  [0x01e0, 0x01ff],
  [0x0370, 0x03ff],
  [0x0400, 0x04ff],
  [0x1f00, 0x1fff],
] as const;

/** The blocks of the letters of `foldedLetters`, as the inside of a bracket. */
export const blocksWithFolded = blocksOfFolded
  .map(([first, last]) => `${String.fromCodePoint(first)}-${String.fromCodePoint(last)}`)
  .join('');

/**
 * Accented letters of Greek and Cyrillic, and a few Latin ones, with their plain letters: SQLite ignores the accents of
 * other Latin letters by itself.
 */
export const foldedLetters = (): readonly (readonly [letter: string, plain: string])[] =>
  blocksOfFolded.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)).flatMap(
      (letter): [string, string][] => {
        const plain = folded(letter);
        return /^\p{L}$/u.test(letter) && /^\p{L}$/u.test(plain) && plain !== letter.toLowerCase()
          ? [[letter, plain]]
          : [];
      },
    ),
  );
