import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldUnchanged, type Stretch, textDiff } from '../../admin/src/history/text-diff.ts';
import { expiresAt, isPast } from '../../admin/src/keys/expiry-date.ts';
import { EventParser } from '../../admin/src/live/event-stream.ts';
import { fieldsWithoutColumn } from '../../admin/src/parts/column.ts';
import { csvLine } from '../../admin/src/parts/csv.ts';
import { parseWords, withResolvedWords, wordsText } from '../../admin/src/parts/date-words.ts';
import { conditionsIn, filtersOf, keyOf } from '../../admin/src/parts/filter-field.ts';
import { fromLocalInput, toLocalInput } from '../../admin/src/records/local-time.ts';
import { idForField } from '../../admin/src/records/record.ts';
import { ceilingOf } from '../../admin/src/start/ceiling.ts';

describe('csvLine', () => {
  it.each([
    [[1, 'a', true, null, undefined], '1,a,true,,\r\n'],
    [['a,b', 'say "x"', 'two\nlines'], '"a,b","say ""x""","two\nlines"\r\n'],
    [[{ a: [1] }], '"{""a"":[1]}"\r\n'],
    [[-5, '-5.25', '-cmd'], `-5,-5.25,"'-cmd"\r\n`],
    [['=1+1', '+x', '@SUM(A1)', '\tx'], `"'=1+1","'+x","'@SUM(A1)","'\tx"\r\n`],
  ])('a line of CSV has the values %j', (values, line) => {
    expect(csvLine(values)).toBe(line);
  });

  it('no text begins a cell as a formula', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const line = csvLine([text]);
        if (/^"?[=+@\t\r]/.test(line) && line !== '\r\n') throw new Error(line);
      }),
    );
  });
});

describe('the id in an address', () => {
  const properties = {
    carrier_id: { type: ['integer', 'null'] },
    country_id: { type: 'string' },
    ledger_id: { type: ['string', 'null'] },
  };
  const schemas = { create: { properties }, update: {} };

  it.each([
    ['carrier_id', '17', 17],
    ['country_id', '17', '17'],
    ['ledger_id', '9007199254740991', '9007199254740991'],
    ['country_id', 'DE', 'DE'],
  ])('a body has it in %s as its schema says: %s', (field, text, id) => {
    expect(idForField({ schemas }, field, text)).toBe(id);
  });
});

describe('columns of the service’s own lists', () => {
  it('a field that no page names gets a column; one that a page hides gets none', () => {
    const fields = [{ name: 'id' }, { name: 'name' }, { name: 'region' }];
    expect(fieldsWithoutColumn(fields, [{ name: 'name' }], ['id'])).toEqual([{ name: 'region' }]);
  });
});

describe('filters', () => {
  const fields = filtersOf([
    {
      name: 'amount',
      label: 'Amount',
      type: 'decimal',
      required: true,
      operators: ['eq', 'gte'],
      sortable: true,
      searchable: false,
    },
    {
      name: 'body',
      label: 'Body',
      type: 'json',
      required: false,
      operators: [],
      sortable: false,
      searchable: false,
    },
  ]);

  it('filters offer what the metadata lets be compared, and nothing else', () => {
    expect(fields).toEqual([{ name: 'amount', label: 'Amount', kind: 'number', operators: ['eq', 'gte'] }]);
  });

  it('filters are read back from the address; what is not theirs is left alone', () => {
    const values = { q: 'x', amount: '1', 'amount@gte': '2', 'amount@like': '3', other: '4' };
    expect(conditionsIn(values, fields).map(({ key, operator, value }) => [key, operator, value])).toEqual([
      ['amount', 'eq', '1'],
      ['amount@gte', 'gte', '2'],
    ]);
    expect([keyOf('amount', 'eq'), keyOf('amount', 'gte')]).toEqual(['amount', 'amount@gte']);
  });
});

describe('local times', () => {
  it('a moment comes back from its input to the second', () => {
    const moments = fc.date({
      min: new Date('1970-01-02'),
      max: new Date('2999-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moments, (at) => {
        at.setMilliseconds(0);
        // Where clocks are put back an hour is there twice; the input cannot say which.
        const back = fromLocalInput(toLocalInput(at.toISOString())) ?? '';
        expect(Math.abs(Date.parse(back) - at.getTime()) % 3_600_000).toBe(0);
      }),
    );
    expect([toLocalInput(''), toLocalInput('x'), fromLocalInput(''), fromLocalInput('x')]).toEqual([
      '',
      '',
      null,
      null,
    ]);
  });
});

describe('expiry of a key', () => {
  const now = Date.parse('2026-01-01T00:00:00.000Z');

  it('the expiry of a key is so many days ahead, never, or what was picked', () => {
    expect(expiresAt({ choice: '30', at: '' }, now)).toBe('2026-01-31T00:00:00.000Z');
    expect(expiresAt({ choice: 'never', at: '2020-01-01T00:00' }, now)).toBeNull();
    expect(expiresAt({ choice: 'custom', at: '' }, now)).toBeUndefined();
    expect(isPast({ choice: 'custom', at: '2020-01-01T00:00' }, now)).toBe(true);
    expect(isPast({ choice: 'custom', at: '2030-01-01T00:00' }, now)).toBe(false);
    expect(isPast({ choice: 'never', at: '' }, now)).toBe(false);
  });
});

describe('ceilingOf', () => {
  it.each([
    [0, 2],
    [1, 2],
    [3, 4],
    [7, 8],
    [10, 10],
    [11, 12],
    [99, 100],
    [501, 600],
    [1219, 1600],
    [12_001, 16_000],
  ])('%i is under %i', (highest, ceiling) => {
    expect(ceilingOf(highest)).toBe(ceiling);
  });
});

describe('textDiff', () => {
  const without = (kind: Stretch['kind'], stretches: readonly Stretch[]): string =>
    stretches.flatMap((each) => (each.kind === kind ? [] : [each.text])).join('');

  it('loses no letter of either text', () => {
    const words = fc
      .array(fc.constantFrom('one ', '二', '三。', '\n', ' ', '👩‍👧'))
      .map((each) => each.join(''));
    fc.assert(
      fc.property(words, words, (before, after) => {
        const stretches = textDiff(before, after);
        expect([without('added', stretches), without('removed', stretches)]).toEqual([before, after]);
      }),
    );
  });

  it('tells the words that changed, not the whole', () => {
    expect(textDiff('the quick fox', 'the slow fox').map(({ kind, text }) => [kind, text])).toEqual([
      ['same', 'the '],
      ['removed', 'quick'],
      ['added', 'slow'],
      ['same', ' fox'],
    ]);
  });

  it.each([
    ['lines', 60_000, (n: number) => `line ${n}\n`],
    ['nothing in common', 400_000, (n: number) => String.fromCodePoint(0x4e00 + (n % 8000))],
  ])('long texts take bounded time and stay whole: %s', (_name, letters, part) => {
    const text = (from: number): string => {
      let made = '';
      for (let n = from; made.length < letters; n += 1) made += part(n);
      return made;
    };
    const [before, after] = [text(0), text(3)];
    const begun = performance.now();
    const stretches = textDiff(before, after);
    expect(performance.now() - begun).toBeLessThan(5000);
    expect([without('added', stretches) === before, without('removed', stretches) === after]).toEqual([
      true,
      true,
    ]);
  });

  it('what stayed is folded but near the changes', () => {
    const rest = 'a b '.repeat(100);
    const shown = foldUnchanged(textDiff(`${rest}old ${rest}`, `${rest}new ${rest}`));
    expect(shown.map(({ kind }) => kind)).toEqual(['same', 'removed', 'added', 'same']);
    expect(shown[0]?.text.startsWith('…')).toBe(true);
    expect(shown[3]?.text.trimEnd().endsWith('…')).toBe(true);
    expect(shown.map(({ text }) => text).join('').length).toBeLessThan(200);
  });
});

describe('EventParser', () => {
  const text =
    'retry: 3000\nid: 7\n\n: still here\n\nid: 8\ndata: {"a":1}\n\ndata: one\r\ndata:two\r\nid: 9\r\n\r\nid: 10\r\rdata\rid: 11\r\r';
  const events = [
    { id: '8', data: '{"a":1}' },
    { id: '9', data: 'one\ntwo' },
    { id: '11', data: '' },
  ];

  it('takes a stream apart wherever it is cut, and knows where to go on', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
        const parser = new EventParser('');
        const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
        const found = places.flatMap((place, index) => parser.push(text.slice(place, places[index + 1])));
        // The last end of a line may be half of one.
        expect([...found, ...parser.push('\n')]).toEqual(events);
        expect(parser.id).toBe('11');
      }),
    );
  });

  it('goes on from an id that came without an event', () => {
    const parser = new EventParser('3');
    expect([parser.push(':\nid: 5\n\n'), parser.id]).toEqual([[], '5']);
  });
});

describe('dates in words', () => {
  /** Noon of a day by the clock of this machine. */
  const now = new Date(2026, 2, 3, 12);
  const start = (days: number): string => new Date(2026, 2, 3 + days).toISOString();
  const away = (days: number): string => new Date(now.getTime() + days * 86_400_000).toISOString();

  it.each([
    ['at@when', 'today', { 'at@gte': start(0), 'at@lt': start(1) }],
    ['at@when', 'yesterday', { 'at@gte': start(-1), 'at@lt': start(0) }],
    ['at@when', 'on_2026-03-05', { 'at@gte': start(2), 'at@lt': start(3) }],
    ['at@when', 'next_30', { 'at@gte': away(0), 'at@lte': away(30) }],
    ['at@when', 'last_7', { 'at@gte': away(-7), 'at@lte': away(0) }],
    ['at@when', 'before_90', { 'at@lt': away(-90) }],
    ['at@days', 'today', { 'at@gte': '2026-03-03', 'at@lte': '2026-03-03' }],
    ['at@days', 'next_30', { 'at@gte': '2026-03-03', 'at@lte': '2026-04-02' }],
    ['at@days', 'after_1', { 'at@gt': '2026-03-04' }],
    ['at@when', 'nonsense', { 'at@when': 'nonsense' }],
  ])('dates in words filter by %s %s', (key, value, expected) => {
    expect(withResolvedWords({ q: 'x', [key]: value }, now)).toEqual({ q: 'x', ...expected });
  });

  it('filters on dates stand beside other conditions: the stricter one holds', () => {
    expect(withResolvedWords({ 'at@gte': start(1), 'at@when': 'last_7' }, now)).toEqual({
      'at@gte': start(1),
      'at@lte': away(0),
    });
  });

  it('dates in words are read back as they were written, and nothing else is', () => {
    for (const value of ['today', 'last_7', 'on_2026-03-05'])
      expect(wordsText(parseWords(value) ?? { word: 'today' })).toBe(value);
    for (const value of ['', 'last', 'last_0', 'last_x', 'on_2026-13-01', 'next_99999'])
      expect(parseWords(value)).toBeUndefined();
  });
});
