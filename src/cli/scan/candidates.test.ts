import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CandidateFinder } from './candidates.ts';

type Found = readonly (readonly [string, number])[];

const scan = (chunks: readonly Uint8Array[]): Found => {
  const found: (readonly [string, number])[] = [];
  const finder = new CandidateFinder((candidate, line) => found.push([candidate, line]));
  for (const chunk of chunks) finder.push(chunk);
  finder.end();
  return found;
};

const scanText = (text: string): Found => scan([Buffer.from(text)]);

/** The same from a whole text, by a regular expression. */
const oracle = (text: string): Found =>
  [...text.matchAll(/(?<before>%|=|\\x|\\u|)(?<run>[0-9a-fA-F]{64,})/g)].flatMap(({ index, groups }) => {
    const { before = '', run = '' } = groups ?? {};
    const start = index + before.length;
    const escaped = before === '' ? 0 : before === '\\u' ? 4 : 2;
    const offsets = new Set([0, ...(run.length >= 64 + escaped ? [escaped] : []), run.length - 64]);
    return [...offsets].map((offset) => {
      const line = text.slice(0, start + offset).split('\n').length;
      return [run.slice(offset, offset + 64).toLowerCase(), line] as const;
    });
  });

const key = '0123456789abcdef'.repeat(4);
const other = 'fedcba9876543210'.repeat(4);

describe('texts of the form of a key', () => {
  it.each([
    ['alone', key, [[key, 1]]],
    ['in a line', `a\nb\nX-Api-Key: ${key}\n`, [[key, 3]]],
    ['in upper case', key.toUpperCase(), [[key, 1]]],
    [
      'in quotes, twice',
      `"${key}",'${other}'`,
      [
        [key, 1],
        [other, 1],
      ],
    ],
    ['63 digits', key.slice(1), []],
    [
      'behind an escape of a URL',
      `q=a%3D${key}`,
      [
        [`3d${key.slice(0, 62)}`, 1],
        [key, 1],
      ],
    ],
    [
      'at the end of a longer run',
      `abc${key}`,
      [
        [`abc${key.slice(0, 61)}`, 1],
        [key, 1],
      ],
    ],
    [
      'at the beginning of a longer run',
      `${key}abc`,
      [
        [key, 1],
        [`${key}abc`.slice(-64), 1],
      ],
    ],
    [
      'two in a row',
      key + other,
      [
        [key, 1],
        [other, 1],
      ],
    ],
    ['among bytes that are no text', `\u0000\u0001${key}\uffff`, [[key, 1]]],
  ])('finds the keys of a text: %s', (_name, text, expected) => {
    expect(new Set(scanText(text).map(String))).toEqual(new Set(expected.map(String)));
  });

  it('finds a key behind other escapes', () => {
    for (const written of ['%22', '\\x3d', '\\u003d', '=3D'])
      expect(scanText(`k${written}${key}`).map(([candidate]) => candidate)).toContain(key);
  });

  it.each([
    ['utf16le', '\ufeff'],
    ['big end first', '\ufeff'],
  ])('finds a key in UTF-16 (%s), however it is cut', (order, mark) => {
    const bytes = Buffer.from(`${mark}Schlüssel\n${key}\n`, 'utf16le');
    if (order !== 'utf16le') bytes.swap16();
    expect(scan([bytes])).toEqual([[key, 2]]);
    for (const size of [3, 5, 17]) {
      const chunks = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      expect(scan(chunks)).toEqual([[key, 2]]);
    }
  });

  it('finds a key wherever the text is cut into chunks', () => {
    const digits = fc.stringMatching(/^[0-9a-fA-F]{0,200}$/);
    const part = fc.oneof(
      digits,
      fc.constantFrom(key, other, key.toUpperCase(), '\n', '%', '=', '\\x', '\\u', 'g', '\r\n', '', 'ü'),
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 20 }),
        (parts, sizes) => {
          const text = parts.join('');
          const bytes = Buffer.from(text);
          const chunks: Uint8Array[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            chunks.push(bytes.subarray(at, at + size));
            at += size;
          }
          expect(new Set(scan(chunks).map(String))).toEqual(new Set(oracle(text).map(String)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('takes a key in a run of any length from both ends, with little memory', () => {
    const chunk = Buffer.from('ab'.repeat(1 << 16));
    const found: string[] = [];
    const finder = new CandidateFinder((candidate) => found.push(candidate));
    finder.push(Buffer.from(key));
    for (let count = 0; count < 50; count += 1) finder.push(chunk);
    finder.push(Buffer.from(`${other}\n`));
    finder.end();
    expect(found).toEqual([key, other]);
  });
});
