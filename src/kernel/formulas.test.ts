import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeFormulas, unescapeFormulas } from './formulas.ts';

describe('formulas in cells', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+1+1', "'+1+1"],
    ['-1+1', "'-1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠a', "'＠a"],
    ['﹦1', "'﹦1"],
    ['\t=1', "\t'=1"],
    ['\r=1', "\r'=1"],
    ['\n=1', "\n'=1"],
    ['a\r\n=1', "a\r\n'=1"],
    ['a;=1', "a;'=1"],
    ['a,=1', "a,'=1"],
    ['a\t@b', "a\t'@b"],
    ['a|-b', "a|'-b"],
    ['  =1', "'  =1"],
    ['\u3000\u200b\ufeff＝1', "'\u3000\u200b\ufeff＝1"],
    ['"=1"', `'"=1"`],
    ['a; "=1', `a;' "=1`],
    ['=1;=2', "'=1;'=2"],
    ["'=1", "''=1"],
    ["''\u00a0=1", "'''\u00a0=1"],
    ['{"a":";=1"}', `{"a":";'=1"}`],
  ])('%j is written %j', (text, written) => {
    expect(escapeFormulas(text)).toBe(written);
    expect(unescapeFormulas(written)).toBe(text);
  });

  it.each([
    '',
    '-12.50',
    '+49301234',
    '-1e-7',
    'a=1',
    'a - b',
    "o'clock",
    "'tis",
    '2026-11-21T08:00:00.000Z',
    'https://example.com/?a=1',
    '[1,-5]',
    '{"a":1,"b":-2}',
  ])('%j stays as it is', (text) => {
    expect(escapeFormulas(text)).toBe(text);
    expect(unescapeFormulas(text)).toBe(text);
  });

  const pieces = fc.constantFrom(
    ...['=', '+', '-', '@', '＝', '＠', "'", '"', ' ', '\u00a0', '\t', '\r', '\n', ';', ',', '|', '[', '{'],
    ...['1', '.', 'e', 'a', '😀'],
  );

  it('leaves no formula at the beginning of a cell, and comes back as it was', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const written = escapeFormulas(text);
        expect(unescapeFormulas(written)).toBe(text);
        // A cell as a spreadsheet sees it that separates by semicolons and takes off what it skips.
        for (const cell of written.split(/[;\t\r\n|]/)) {
          const seen = cell.replace(/^[\s"]+/, '');
          if (!/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/.test(seen)) expect(seen).not.toMatch(/^[=+\-@＝＠]/);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it('takes time in proportion to the length, whatever the text', () => {
    const texts = ['\n', ' ', "'", ';"', "' ", ' \n', "'\t", '"\u200b'].map((part) => part.repeat(1_000_000));
    const began = performance.now();
    for (const text of texts) expect(unescapeFormulas(escapeFormulas(`${text}=`))).toBe(`${text}=`);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
