import { describe, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import type { MovableClock } from '../support/clock.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Service, useService } from '../support/service.ts';

const fields = {
  title: field.string(),
  body: field.text(),
  count: field.integer(),
  ratio: field.number(),
  price: field.decimal(),
  fine: field.decimal({ scale: 8 }),
  whole: field.decimal({ scale: 0 }),
  flag: field.boolean(),
  day: field.date(),
  at: field.datetime(),
  opens: field.time(),
  state: field.enum(['a', 'Ä', 'z-1']),
  data: field.json(),
  mail: field.email(),
  site: field.url(),
  uid: field.uuid(),
  parent: field.reference('Sample'),
};

const sample = defineResource('Sample', { fields });

const migration: Migration = { up: (db, dialect) => createTable(db, dialect, 'samples', { fields }) };

const measured = { ratio: field.number() };

const measure = defineResource('Measure', { fields: measured, trash: true, history: true });

const measures: Migration = {
  up: (db, dialect) => createTable(db, dialect, 'measures', { fields: measured }),
};

/** Both services live at the same moment, so that their responses can be the same to the byte. */
const still: MovableClock = {
  now: () => 1_767_225_600_123,
  advance: () => {},
  reset: () => {},
  unix: () => 1_767_225_600,
};

type Values = Readonly<Record<string, unknown>>;

const controls = Array.from({ length: 31 }, (_, index) => String.fromCharCode(index + 1)).join('');

/** Values that are sent, and the answered ones where they differ. */
const hard: readonly (readonly [Values, Values?])[] = [
  [{}],
  [{ title: '', body: ' ', flag: false, count: 0 }],
  [{ title: '😀👩‍👩‍👧‍👦 "quoted" \\ / \'single\' </script>', body: '日本語\u2028\u2029\u007f\ufeff\u0301e' }],
  [{ title: controls, body: `${controls}${controls}`, data: { [controls]: [controls] } }],
  [
    {
      title: '%_\\%',
      body: "'; drop table samples; --",
      mail: "o'brien+tag@例子.公司",
      site: 'https://例子.公司/a?b=%00#c',
    },
  ],
  [
    {
      count: 9007199254740991,
      price: '9999999999999.99',
      fine: '9999999.99999999',
      whole: '999999999999999',
    },
  ],
  [{ count: -9007199254740991, price: '-9999999999999.99', fine: '-0.00000001', whole: '-1' }],
  [
    { count: -1, price: 0.1, fine: 12.5, whole: 7 },
    { count: -1, price: '0.10', fine: '12.50000000', whole: '7' },
  ],
  [
    { price: '-0.00', fine: '1e-8', whole: '1e3' },
    { price: '0.00', fine: '0.00000001', whole: '1000' },
  ],
  [
    { day: '0001-01-01', at: '0001-01-01', opens: '00:00' },
    { day: '0001-01-01', at: '0001-01-01T00:00:00.000Z', opens: '00:00:00' },
  ],
  [
    { day: '9999-12-31', at: '9999-12-31T23:59:59.9999999Z', opens: '23:59:59' },
    { day: '9999-12-31', at: '9999-12-31T23:59:59.999Z', opens: '23:59:59' },
  ],
  [
    { day: '2024-02-29', at: '2024-03-31T02:30:00+05:45' },
    { day: '2024-02-29', at: '2024-03-30T20:45:00.000Z' },
  ],
  [{ at: '1969-12-31T23:59:59,5-00:30' }, { at: '1970-01-01T00:29:59.500Z' }],
  [
    { state: 'Ä', flag: true, uid: 'FFFFFFFF-0000-4000-8000-00000000000A' },
    { state: 'Ä', flag: true, uid: 'ffffffff-0000-4000-8000-00000000000a' },
  ],
  [{ data: { b: 1, a: [true, false, null, 'x"y', 1.5, -0.25, 1e21, 9007199254740991], '': {} } }],
  [{ data: [] }],
  [{ data: 'null' }],
  [{ data: false }],
  [{ data: -0 }, { data: 0 }],
  [{ parent_id: 1 }],
];

/** Numbers where a database turns to exponents or adds digits, both signs of it, and their neighbours. */
const numbers = [
  ...[0, 1, 12.5, 0.1, 0.1 + 0.2, 1 / 3, 9.99, 0.0001, 0.00012345, 0.00001, 1e-6, 1.5e-6, 9.99e-7, 1e-7],
  ...[1e-10, 2 ** -44, 2.2250738585072014e-308, 5e-324, 22915.59645109553, 123456789.125, 1e9, 1e9 + 0.5],
  ...[999999999999999.9, 1e15, 1e15 + 0.5, 2 ** 53, 1e16, 123456789012345680000, 1e20, 2 ** 69, 1e21, 1e22],
  ...[1.5e100, 1.7976931348623157e308],
].flatMap((number) => (number === 0 ? [0] : [number, -number]));

/** JSON that no double or object of JavaScript keeps: numbers of many digits, and keys of digits in another order. */
const exact = [
  '12345678901234567890',
  '-9007199254740993',
  '0.1000000000000000055',
  '{"b":1,"10":{"2":12345678901234567890,"1":[0.1000000000000000055]},"2":-9007199254740993}',
];

/** Members of a body as JSON texts that are beside a limit of their field, though the nearest double is within it. */
const beside = [
  '"count":9007199254740993',
  '"count":9007199254740991.4',
  '"count":1.0000000000000000001',
  '"price":9999999999999.9900000001',
  '"price":12.349999999999999999',
  '"fine":0.000000009999999999999999',
  '"whole":999999999999999.00000001',
  '"data":{"n":[-1e400]}',
];

/** Texts that no database may ever see. `\u0000` and half a character are spelt in the JSON. */
const refused = ['"a\\u0000b"', '"\\ud83d"', '{"a\\u0000":1}', '["\\udc00\\ud83d"]'];

const queries = [
  ...Object.keys(fields)
    .filter((name) => name !== 'data')
    .map((name) => (name === 'parent' ? 'parent_id' : name))
    .flatMap((name) => [
      `sort=${name}`,
      `sort=-${name}`,
      `filter[${name}][null]=true&fields=id`,
      `filter[${name}][null]=false&fields=id&per_page=3`,
    ]),
  'filter[count]=9007199254740991&fields=id',
  'filter[count][lt]=0&fields=id,count',
  'filter[price][gte]=9999999999999.99&fields=price',
  'filter[at][lt]=1970-01-01&fields=at',
  'filter[at]=2024-03-30T22:45%2B02:00&fields=at',
  'filter[opens][gt]=12:00&fields=opens',
  'filter[title][like]=%25_%5C&fields=title',
  'filter[title][starts_with]=%F0%9F%98%80&fields=id',
  'filter[uid]=FFFFFFFF-0000-4000-8000-00000000000A&fields=uid',
  'filter[state][in]=a,%C3%84&fields=state',
  'q=%E6%97%A5%E6%9C%AC&fields=id',
  'per_page=4&page=2',
  'per_page=7&sort=-at,title',
];

interface Heard {
  readonly what: string;
  readonly status: number;
  readonly text: string;
  readonly headers: string;
}

const heard = new Map<string, readonly Heard[]>();

const ask = async (
  service: Service,
  method: string,
  path: string,
  body?: unknown,
  accept = 'application/json',
): Promise<Heard> => {
  const options = {
    token: await service.admin(),
    headers: { accept },
    ...(body === undefined ? {} : { body }),
  };
  const at = path.startsWith('/api') || path.startsWith('/admin') ? path : `/api/v1/samples${path}`;
  const { status, text, headers } = await service.request(method, at, options);
  const link = String(headers['link'] ?? '').replaceAll(service.origin, '');
  const shown = [link, headers['x-total-count'], headers['etag'], headers['content-type']].join(' | ');
  return { what: `${method} ${path}`.slice(0, 120), status, text, headers: shown };
};

const dataOf = ({ text }: Heard): Values => (JSON.parse(text) as { data: Values }).data;

const blank = Object.fromEntries(
  [...sample.fields.keys()].filter((name) => !/^(id|.*ed_at)$/.test(name)).map((name) => [name, null]),
);

describeEachDatabase('hard values', (databases) => {
  const service = useService(databases, {
    application: { resources: [sample, measure], migrations: { samples: migration, measures } },
    clock: still,
  });
  const answers: Heard[] = [];
  const hear = async (method: string, path: string, body?: unknown): Promise<Heard> => {
    const answer = await ask(service, method, path, body);
    answers.push(answer);
    return answer;
  };

  it('hard values are answered as they were sent, on create, detail and update', async () => {
    for (const [sent, expected = sent] of hard) {
      const created = await hear('POST', '', { sample: sent });
      expect([created.status, JSON.stringify(sent)]).toEqual([201, expect.anything()]);
      const { id, created_at, updated_at, ...values } = dataOf(created);
      expect(values).toEqual({ ...blank, ...expected });
      expect([created_at, updated_at]).toEqual(['2026-01-01T00:00:00.123Z', '2026-01-01T00:00:00.123Z']);
      expect(dataOf(await hear('GET', `/${String(id)}`))).toEqual(dataOf(created));
      const patched = await hear('PATCH', `/${String(id)}`, { sample: sent });
      expect([patched.status, dataOf(patched)]).toEqual([200, dataOf(created)]);
    }
  });

  it('hard values are answered as the text that was sent, on create, detail, update and in a page', async () => {
    for (const text of exact) {
      const created = await hear('POST', '', `{"sample":{"data":${text}}}`);
      const id = String(dataOf(created)['id']);
      const patched = await hear('PATCH', `/${id}`, `{"sample":{"data":[${text}]}}`);
      expect(patched.text).toContain(`"data":[${text}]`);
      await hear('PATCH', `/${id}`, `{"sample":{"data":${text}}}`);
      for (const answer of [created, await hear('GET', `/${id}`), await hear('GET', `?filter[id]=${id}`)])
        expect(answer.text).toContain(`"data":${text}`);
    }
  });

  it('hard values are refused where only the nearest double fits', async () => {
    for (const members of beside) {
      const { status } = await hear('POST', '', `{"sample":{${members}}}`);
      expect([members, status]).toEqual([members, 422]);
    }
  });

  it('hard values are listed, sorted, filtered and searched', async () => {
    const { status } = await hear('GET', '');
    expect(status).toBe(200);
    for (const query of queries)
      expect([query, (await hear('GET', `?${query}`)).status]).toEqual([query, 200]);
  });

  it('hard values are kept to the byte where they fill a whole body', async () => {
    const body = '"\\é😀x'.repeat(80_000);
    const created = await hear('POST', '', { sample: { body } });
    expect(created.status).toBe(201);
    expect(dataOf(created)['body']).toBe(body);
    const plain = 'x'.repeat(1_048_000);
    const second = await hear('POST', '', { sample: { body: plain } });
    expect([second.status, dataOf(second)['body'] === plain]).toEqual([201, true]);
    const list = await hear('GET', '?sort=-id&per_page=2');
    expect(list.text.length).toBeGreaterThan(1_500_000);
  });

  it('hard values are refused where a database could not keep them', async () => {
    for (const text of refused)
      for (const name of ['title', 'body', 'data', 'mail']) {
        const { status } = await hear('POST', '', `{"sample":{"${name}":${text}}}`);
        expect([text, status]).toEqual([text, 400]);
      }
    for (const [name, value] of [
      ['count', 9007199254740992],
      ['count', -9007199254740992],
      ['price', '10000000000000.00'],
      ['price', '0.001'],
      ['at', '10000-01-01T00:00:00Z'],
      ['day', '2023-02-29'],
      ['at', '0001-01-01T00:00:00+00:01'],
    ] as const)
      expect((await hear('POST', '', { sample: { [name]: value } })).status).toBe(422);
    expect((await hear('POST', '', '{"sample":{"ratio":1e400}}')).status).toBe(422);
    expect((await hear('POST', '', '{"sample":{"data":[1e400]}}')).status).toBe(422);
  });

  it('numbers are written as JavaScript writes them', async () => {
    const path = '/api/v1/measures';
    const written = numbers.map((number) => `"ratio":${JSON.stringify(number)}`);
    const shownIn = (text: string) => text.match(/"ratio":[^,}]+/g) ?? [];
    const shown: Heard[] = [];
    const see = async (method: string, at: string, body?: unknown, accept?: string): Promise<Heard> => {
      const answer = await ask(service, method, at, body, accept);
      expect([at, answer.status]).toEqual([at, method === 'POST' ? 201 : 200]);
      shown.push(answer);
      return answer;
    };
    for (const [index, ratio] of numbers.entries()) {
      const created = await see('POST', path, { measure: { ratio } });
      expect(shownIn(created.text)).toEqual([written[index]]);
      expect(dataOf(created)['ratio']).toBe(ratio);
      const { text } = await see('GET', `${path}/${index + 1}`);
      expect(shownIn(text)).toEqual([written[index]]);
      const history = await see('GET', `/admin/records/measures/${index + 1}/history`);
      expect(shownIn(history.text)).toEqual([written[index]]);
      const { text: found } = await see('GET', `${path}?filter[ratio]=${encodeURIComponent(ratio)}`);
      expect(shownIn(found)).toEqual([written[index]]);
    }
    expect(shownIn((await see('GET', `${path}?per_page=100`)).text)).toEqual(written);
    const csv = await see('GET', `${path}?fields=ratio`, undefined, 'text/csv');
    expect(csv.text.trim().split('\r\n').slice(1)).toEqual(numbers.map(String));
    await see('GET', `${path}?sort=ratio&per_page=7&after=`);
    await see('GET', `${path}/aggregate?min=ratio&max=ratio`);
    const within = 'filter[ratio][gt]=-1e300&filter[ratio][lt]=1e300&per_page=100';
    await see('GET', `${path}/aggregate?group=ratio&min=ratio&max=ratio&sum=ratio&avg=ratio&${within}`);
    for (const [index] of numbers.entries()) await see('DELETE', `${path}/${index + 1}`);
    const { text } = await see('GET', '/admin/records/measures?trashed=true&per_page=100');
    expect(shownIn(text).sort()).toEqual(written.toSorted());
    heard.set(databases.dialect, [...answers, ...shown]);
  });
});

describe('both databases', () => {
  it('both databases answer the same bytes', () => {
    const [sqlite = [], postgres = []] = [heard.get('sqlite'), heard.get('postgres')];
    expect(sqlite.length).toBeGreaterThan(100);
    expect(postgres.map(({ what }) => what)).toEqual(sqlite.map(({ what }) => what));
    for (const [index, answer] of sqlite.entries()) {
      const other = postgres[index];
      expect([answer.what, other?.status, other?.headers]).toEqual([
        answer.what,
        answer.status,
        answer.headers,
      ]);
      if (other?.text !== answer.text) expect([answer.what, other?.text]).toEqual([answer.what, answer.text]);
    }
  });
});
