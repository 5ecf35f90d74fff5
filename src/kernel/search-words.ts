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

/** Letters that count as others, although no decomposition leads to these. They are what remains of lower case. */
export const plainLetters: Readonly<Record<string, string>> = {
  ς: 'σ',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ŧ: 't',
  ħ: 'h',
  ß: 'ss',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
};

/**
 * Letters and digits of another form, such as `ﬁ` and `Ａ`, that count as the ones of which they are made (NFKD). Forms
 * of Chinese, Japanese and Korean characters, and of signs, are not among them.
 */
const otherForms = `
  aa b5 ba 132-133 149 17f 1c4-1cc 1f1-1f3 2b0-2b8 2e0-2e4 3d0-3d6 3f0-3f2 3f4-3f5 3f9 587 675-678 e33
  eb3 edc-edd 10fc 1d2c-1d2e 1d30-1d3a 1d3c-1d4d 1d4f-1d6a 1d78 1d9b-1dbf 1e9a-1e9b 2071 207f
  2090-209c 2102 2107 210a-2113 2115 2119-211d 2124 2128 212c-212d 212f-2131 2133-2139 213c-213f
  2145-2149 2c7c-2c7d 2d6f a69c-a69d a770 a7f1-a7f4 a7f8-a7f9 ab5c-ab5f ab69 fb00-fb06 fb13-fb17
  fb20-fb28 fb4f-fbb1 fbd3-fc5d fc64-fd3d fd50-fd8f fd92-fdc7 fdf0-fdf9 fe71 fe77 fe79 fe7b fe7d
  fe7f-fefc ff10-ff19 ff21-ff3a ff41-ff5a ff70 10781-10785 10787-107b0 107b2-107ba 1ccf0-1ccf9
  1d400-1d454 1d456-1d49c 1d49e-1d49f 1d4a2 1d4a5-1d4a6 1d4a9-1d4ac 1d4ae-1d4b9 1d4bb 1d4bd-1d4c3
  1d4c5-1d505 1d507-1d50a 1d50d-1d514 1d516-1d51c 1d51e-1d539 1d53b-1d53e 1d540-1d544 1d546
  1d54a-1d550 1d552-1d6a5 1d6a8-1d6c0 1d6c2-1d6da 1d6dc-1d6fa 1d6fc-1d714 1d716-1d734 1d736-1d74e
  1d750-1d76e 1d770-1d788 1d78a-1d7a8 1d7aa-1d7c2 1d7c4-1d7cb 1d7ce-1d7ff 1e030-1e06d 1ee00-1ee03
  1ee05-1ee1f 1ee21-1ee22 1ee24 1ee27 1ee29-1ee32 1ee34-1ee37 1ee39 1ee3b 1ee42 1ee47 1ee49 1ee4b
  1ee4d-1ee4f 1ee51-1ee52 1ee54 1ee57 1ee59 1ee5b 1ee5d 1ee5f 1ee61-1ee62 1ee64 1ee67-1ee6a
  1ee6c-1ee72 1ee74-1ee77 1ee79-1ee7c 1ee7e 1ee80-1ee89 1ee8b-1ee9b 1eea1-1eea3 1eea5-1eea9
  1eeab-1eebb 1fbf0-1fbf9`;

/** Ranges in hexadecimal digits as the inside of a bracket. */
const bracketOf = (ranges: string): string =>
  ranges
    .trim()
    .split(/\s+/)
    .map((range) =>
      range
        .split('-')
        .map((point) => String.fromCodePoint(Number.parseInt(point, 16)))
        .join('-'),
    )
    .join('');

/** The letters of other forms as the inside of a bracket. */
export const formLetters = bracketOf(otherForms);

/** Marks that turn one kana into another; all other marks are ignored. */
const kanaMarks = '\u3099\u309A';

const formed = new RegExp(`[${formLetters}]`, 'gu');
const marks = new RegExp(`(?![${kanaMarks}])\\p{M}+`, 'gu');
const letters = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'gu');

/** A text in lower case, without accents, with the letters of which others are made. */
export const folded = (text: string): string =>
  text
    .replace(formed, (letter) => letter.normalize('NFKD'))
    .normalize('NFD')
    .toLowerCase()
    .replace(marks, '')
    .replace(letters, (letter) => plainLetters[letter] ?? letter)
    .normalize('NFC');

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

/** The characters from one code point to another that match a pattern. */
const charactersIn = (first: number, last: number, pattern: RegExp): string[] => {
  const found: string[] = [];
  for (let point = first; point <= last; point += 1) {
    const character = String.fromCodePoint(point);
    if (pattern.test(character)) found.push(character);
  }
  return found;
};

/** Sorted characters as the inside of a bracket. */
const bracketOfCharacters = (characters: readonly string[]): string => {
  const ranges: [number, number][] = [];
  for (const character of characters) {
    const point = character.codePointAt(0) ?? 0;
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === point - 1) last[1] = point;
    else ranges.push([point, point]);
  }
  return ranges
    .map(([first, last]) => [...new Set([first, last])].map((point) => String.fromCodePoint(point)).join('-'))
    .join('');
};

/** The marks that are ignored, as the inside of a bracket. */
export const ignoredMarks = (): string =>
  bracketOfCharacters(charactersIn(0x300, 0x1ffff, new RegExp(`^(?![${kanaMarks}])\\p{M}$`, 'u')));

const commonBlocks = [
  [0x0080, 0x024f],
  [0x0370, 0x052f],
  [0x1e00, 0x1fff],
] as const;

/** Blocks of further letters that have a case, an accent, or another form. */
const rareBlocks = [
  [0x0250, 0x036f],
  [0x0530, 0x1dff],
  [0x2000, 0x2fff],
  [0xa000, 0xabff],
  [0xfb00, 0xffff],
  [0x10000, 0x1ffff],
] as const;

/** Letters with the plain ones as which they count, and these letters as the inside of a bracket. */
export interface FoldedLetters {
  readonly pairs: readonly (readonly [letter: string, plain: string])[];
  readonly bracket: string;
}

const foldedIn = (
  blocks: readonly (readonly [number, number])[],
  isDone: (letter: string) => boolean,
): FoldedLetters => {
  const own = new RegExp(`^(?![${singleCharacters}])[\\p{L}\\p{Nd}]$`, 'u');
  const pairs = blocks
    .flatMap(([first, last]) => charactersIn(first, last, own))
    .filter(
      (letter) => folded(letter) !== letter && /^[\p{L}\p{Nd}]+$/u.test(folded(letter)) && !isDone(letter),
    )
    .map((letter) => [letter, folded(letter)] as const);
  return { pairs, bracket: bracketOfCharacters(pairs.map(([letter]) => letter)) };
};

/** True for Latin letters with accents, which the tokenizer folds by itself, with one exception. */
const isAccentedLatin = (letter: string): boolean =>
  /^[a-z]/i.test(letter.normalize('NFD')) && !'Ǡǡ'.includes(letter);

/** Letters of Latin, Greek and Cyrillic that the tokenizer of SQLite does not fold by itself. */
export const foldedLetters = (): FoldedLetters => foldedIn(commonBlocks, isAccentedLatin);

/** All other letters that are folded, as far as they are no characters of Chinese, Japanese and Korean. */
export const rareFoldedLetters = (): FoldedLetters => foldedIn(rareBlocks, () => false);
