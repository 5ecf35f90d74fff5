import { expect, it } from 'vitest';
import { ExactNumber, exactText, parseExact, plainJson } from './exact-json.ts';

it.each([
  '{"id":2624710177366999063}',
  '{"n":9007199254740993,"m":[0.1000000000000000000001,-12.349999999999999999]}',
  '{"b":1,"10":{"2":[{"9":null,"1":"x"}],"a":2},"2":3}',
  '{"~1":1,"1":2,"~~2":3,"0":4}',
  '{"a\\"":1,"3":"\\\\","1":"\\"2\\":"}',
  '[1e-400,{"x":1e400},123456789012345678901234567890e-30]',
  '{"__proto__":{"7":1,"3":2},"5":0}',
])('exact JSON keeps %s', (text) => {
  expect(exactText(parseExact(text))).toBe(text);
});

it('indents as JSON.stringify does', () => {
  const text = '{"b":[1,{"c":[],"d":{}}],"e":9007199254740993}';
  expect(exactText(parseExact(text), 2).replace('9007199254740993', '1')).toBe(
    JSON.stringify(JSON.parse(text.replace('9007199254740993', '1')), undefined, 2),
  );
  const digits = '{\n  "b": [\n    1,\n    {\n      "2": [],\n      "1": {}\n    }\n  ],\n  "0": null\n}';
  expect(exactText(parseExact(digits), 2)).toBe(digits);
});

it.each([
  '{"a":1,"b":[true,null,"x"],"c":0.1}',
  '{"a":0.30000000000000004,"b":1.7976931348623157e308,"c":5e-324,"d":1e21}',
  '{"a":9007199254740991,"b":-9007199254740991.0}',
  '{"day":"2026-01-01T00:00:00.000Z","card":"4111111111111111111","id":"550e8400-e29b-41d4-a716-446655440000"}',
])('makes plain values of %s', (text) => {
  expect(parseExact(text)).toEqual(JSON.parse(text));
  expect(exactText(parseExact(text))).toBe(JSON.stringify(JSON.parse(text)));
});

it('takes the last of two members with one name, as JSON.parse does', () => {
  expect(exactText(parseExact('{"1":1,"0":2,"1":3}'))).toBe('{"1":3,"0":2}');
  expect(parseExact('{"1":1,"0":2,"1":3}')).toEqual({ 0: 2, 1: 3 });
});

it('makes an ExactNumber only of a number that no double has', () => {
  const { a, b } = parseExact('{"a":9007199254740993,"b":1234567890.12345600}') as Record<string, unknown>;
  expect(a).toBeInstanceOf(ExactNumber);
  expect(b).toBe(1234567890.123456);
});

it.each(['{"1":', '{"1', '{"10":9007199254740993,}', '{"\\u00":9007199254740993}', '{"1":01}'])(
  'refuses %s as JSON.parse does',
  (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  },
);

it('reads a usual text in about the time of JSON.parse', () => {
  const order = {
    title: 'An order',
    user_id: 17,
    total: '12.50',
    at: '2026-01-01T00:00:00.000Z',
    lines: [1, 2, 3],
  };
  const text = JSON.stringify({ order, note: 'x'.repeat(200) });
  const time = (parse: (text: string) => unknown): number => {
    const { user } = process.cpuUsage();
    for (let n = 0; n < 50_000; n += 1) parse(text);
    return process.cpuUsage().user - user;
  };
  time(parseExact);
  expect(time(parseExact)).toBeLessThan(3 * Math.max(1, time(JSON.parse)));
});

it('exact JSON gives code the nearest doubles', () => {
  const sent = parseExact('{"n":[9007199254740993,{"x":1e400}],"t":"1e400","z":null}');
  expect(plainJson(sent)).toEqual({ n: [9007199254740992, { x: Infinity }], t: '1e400', z: null });
});
