import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type InnerList,
  type Item,
  type Parameters,
  parseDictionary,
  serialize,
} from './structured-fields.ts';

const none: Parameters = new Map();
const item = (value: Item['value'], parameters: Parameters = none): Item => ({ value, parameters });

describe('a dictionary', () => {
  it('holds lists with parameters, and bytes', () => {
    const parsed = parseDictionary('sig=("@method"  "a\\"b";key="x";req );created=1;keyid="k" ,  b=:AAE=:');
    expect(parsed).toEqual(
      new Map<string, Item | InnerList>([
        [
          'sig',
          {
            items: [
              item('@method'),
              item(
                'a"b',
                new Map<string, string | true>([
                  ['key', 'x'],
                  ['req', true],
                ]),
              ),
            ],
            parameters: new Map<string, string | number>([
              ['created', 1],
              ['keyid', 'k'],
            ]),
          },
        ],
        ['b', item(Buffer.of(0, 1))],
      ]),
    );
  });

  it('a dictionary is written again as it was signed: one space, none behind a semicolon', () => {
    const list = parseDictionary(' s=( "b"   "a";x ); created=0;\tn'.replace('\t', ' '))?.get('s');
    expect(list && serialize(list)).toBe('("b" "a";x);created=0;n');
  });

  it.each([
    '',
    ' ',
    'sig',
    'sig=',
    'sig=?1',
    'sig=token',
    'Sig=("a")',
    '1=("a")',
    'sig=("a"',
    'sig=("a""b")',
    'sig=("a"\t"b")',
    'sig=("a",)',
    'sig=(a)',
    'sig=("a"),',
    'sig=("a"),,b=("c")',
    'sig=("a") b=("c")',
    'sig=("a");',
    'sig=("a");created',
    'sig=("é")',
    'sig=("a\\n")',
    'sig=("a\nb")',
    'sig=("a");created=01',
    'sig=("a");created=-0',
    'sig=("a");created=1.5',
    'sig=("a");created=1e3',
    'sig=("a");created=+1',
    `sig=("a");created=${'9'.repeat(16)}`,
    'sig=("a");created =1',
    'sig=("a");nonce="x',
    "sig=('a')",
    'sig=::AA==:',
    'sig=:AA:',
    'sig=:AB==:',
    'sig=:A-_=:',
    'sig=:AA==',
    'sig=:AA==: x',
    'sig=:AA==\n:',
  ])('a dictionary is not %j, or not one that verifies', (text) => {
    const parsed = parseDictionary(text);
    // A flag is read, and is no number.
    if (text === 'sig=("a");created') expect(parsed?.get('sig')?.parameters.get('created')).toBe(true);
    else expect(parsed).toBeUndefined();
  });

  it.each([
    ['a label', 'sig=("a"),sig=("b")'],
    ['a parameter', 'sig=("a");created=1;created=2'],
    ['a parameter of a component', 'sig=("a";x;x)'],
  ])('names %s once', (_, text) => {
    expect(parseDictionary(text)).toBeUndefined();
  });

  it('takes time in proportion to its length', () => {
    for (const text of [
      `sig=(${'"a" '.repeat(100_000)}`,
      `sig=("a")${';a'.repeat(100_000)}`,
      `sig=:${'A'.repeat(400_000)}`,
      `sig=("${'\\\\'.repeat(200_000)}`,
      ' '.repeat(400_000),
    ]) {
      const begun = performance.now();
      expect(parseDictionary(text)).toBeUndefined();
      expect(performance.now() - begun).toBeLessThan(2_000);
    }
  });
});

describe('fuzz', () => {
  const key = fc.stringMatching(/^[a-z*][a-z0-9_.*-]{0,8}$/);
  const string = fc.stringMatching(/^[ -~]{0,12}$/);
  const bytes = fc.uint8Array({ maxLength: 70 }).map((array) => Buffer.from(array));
  const integer = fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 });
  const value = fc.oneof(string, integer, bytes);
  const parameters = fc
    .array(fc.tuple(key, fc.oneof(value, fc.constant(true as const))), { maxLength: 4 })
    .map((pairs): Parameters => new Map(pairs));
  const anItem = fc.record({ value, parameters });
  const list = fc.record({ items: fc.array(anItem, { maxLength: 5 }), parameters });
  const dictionary = fc.array(fc.tuple(key, fc.oneof(anItem, list)), { minLength: 1, maxLength: 4 });

  it('what is written is read again, value for value', () => {
    fc.assert(
      fc.property(dictionary, (pairs) => {
        const members = new Map<string, Item | InnerList>(pairs);
        const text = [...members].map(([name, member]) => `${name}=${serialize(member)}`).join(', ');
        expect(parseDictionary(text)).toEqual(members);
      }),
    );
  });

  it('no text throws, and one that is read has one meaning', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'sig',
        '=',
        '(',
        ')',
        '"',
        '\\',
        ';',
        ',',
        ' ',
        ':',
        '1',
        '-',
        'a',
        'AA==',
        '"x"',
        '\t',
        'é',
      ),
      fc.string({ maxLength: 3 }),
    );
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          text.map((tail) => `sig=("a" "b");created=1${tail}`),
        ),
        (field) => {
          const parsed = parseDictionary(field);
          if (parsed === undefined) return;
          const again = [...parsed].map(([name, member]) => `${name}=${serialize(member)}`).join(', ');
          expect(parseDictionary(again)).toEqual(parsed);
          expect(again.replaceAll(/[ \t]/g, '')).toBe(field.replaceAll(/[ \t]/g, ''));
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
