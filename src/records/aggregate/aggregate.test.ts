import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import {
  createThings,
  emptyThing,
  insertThings,
  type Thing,
  thingFields,
  thingSource,
} from '../../../tests/support/things.ts';
import type { UserPrincipal } from '../../auth/principal.ts';
import type { Database } from '../../database/database.ts';
import type { ColumnValue } from '../../fields/field.ts';
import { Problem } from '../../kernel/problem.ts';
import { decide } from '../../policy/decide.ts';
import type { Grant } from '../../policy/grant.ts';
import { systemGrant } from '../../policy/system-grant.ts';
import { type Aggregate, createAggregate } from './aggregate.ts';

const path = '/api/v1/things/aggregate';
const everything = systemGrant(thingFields);

const user = (id: number): UserPrincipal => ({
  kind: 'user',
  id,
  username: 'u',
  email: 'u@example.com',
  name: 'U',
  roles: ['viewer'],
  mustChangePassword: false,
  secondFactor: 'none' as const,
  granted: [],
  method: 'jwt',
});

/** The grant of a caller who sees their own rows. */
const ownGrant = (id: number): Grant => {
  const decision = decide({ kind: 'isolated', own: 'user_id', readable: thingFields }, user(id));
  if (!decision.allowed) throw new Error('refused');
  return decision.grant;
};

const texts = ['', 'a', 'A', 'b%', 'é', '\uffff', '😀', 'a,b', "o'k", 'a"b'];

const varied = (count: number): Thing[] =>
  Array.from({ length: count }, (_, index) => ({
    ...emptyThing,
    id: index + 1,
    title: index % 5 === 0 ? null : (texts[(index * 7) % texts.length] ?? null),
    body: index % 3 === 0 ? null : `Body ${texts[index % texts.length]}`,
    n: index % 4 === 0 ? null : ((index * 13) % 11) * 1_234_567_890_123 - 5_000_000_000_000,
    price: index % 6 === 0 ? null : ((index * 31) % 500) - 250,
    // Binary fractions, of which sums are exact.
    ratio: index % 7 === 0 ? null : ((index * 17) % 9) / 8,
    flag: index % 3 === 0 ? null : index % 2 === 0,
    day: index % 8 === 0 ? null : new Date(Date.UTC(2024, 11, 20 + (index % 23))).toISOString().slice(0, 10),
    at: new Date(Date.UTC(2025, 11, 27) + ((index * 7) % 40) * 6 * 3_601_000).toISOString(),
    state: index % 2 === 0 ? 'draft' : 'live',
    user_id: index % 3,
    secret: texts[index % texts.length] ?? null,
  }));

// The oracle: the same in plain JavaScript.

const pad = (number: number, length = 2): string => String(number).padStart(length, '0');

const isoWeek = (moment: Date): string => {
  const thursday = new Date(moment);
  thursday.setUTCHours(0, 0, 0, 0);
  thursday.setUTCDate(thursday.getUTCDate() + 3 - ((thursday.getUTCDay() + 6) % 7));
  const first = new Date(0);
  first.setUTCFullYear(thursday.getUTCFullYear(), 0, 1);
  const week = 1 + Math.floor((thursday.getTime() - first.getTime()) / (7 * 86_400_000));
  return `${pad(thursday.getUTCFullYear(), 4)}-W${pad(week)}`;
};

const firstMoment = Date.parse('0001-01-01T00:00:00Z');
const lastMoment = Date.parse('9999-12-31T23:59:59Z');

const bucketOf = (value: string, bucket: string, minutes: number): string => {
  const shifted = Date.parse(value) + (value.length === 10 ? 0 : minutes * 60_000);
  const moment = new Date(Math.min(Math.max(shifted, firstMoment), lastMoment));
  const text = moment.toISOString();
  if (bucket === 'week') return isoWeek(moment);
  return text.slice(0, { hour: 13, day: 10, month: 7, year: 4 }[bucket]);
};

const scaled = (value: bigint): string => {
  const digits = String(value < 0n ? -value : value).padStart(3, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

const shown = (field: string, value: ColumnValue | undefined): unknown => {
  if (value === null || value === undefined) return null;
  return field === 'price' ? scaled(BigInt(Number(value))) : value;
};

const compare = (a: unknown, b: unknown): number => {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  return a === b ? 0 : Number(a) < Number(b) ? -1 : 1;
};

interface Measured {
  readonly shown: unknown;
  /** The values of its order. */
  readonly order: unknown;
}

const measureOf = (measure: string, field: string, things: readonly Thing[]): Measured => {
  const values = things.map((thing) => thing[field] ?? null).filter((value) => value !== null);
  if (values.length === 0) return { shown: null, order: null };
  if (measure === 'min' || measure === 'max') {
    const sorted = values.toSorted(compare);
    const found = measure === 'min' ? sorted[0] : sorted.at(-1);
    return { shown: shown(field, found), order: found };
  }
  if (field === 'ratio') {
    const sum = values.reduce<number>((total, value) => total + Number(value), 0);
    const of = measure === 'sum' ? sum : Number((sum / values.length).toPrecision(15));
    return { shown: of, order: of };
  }
  const sum = values.reduce<bigint>((total, value) => total + BigInt(Number(value)), 0n);
  const unit = field === 'price' ? 100 : 1;
  if (measure === 'avg') {
    const average = Number(sum) / values.length / unit;
    return { shown: average, order: average };
  }
  if (field === 'price') return { shown: scaled(sum), order: sum };
  return { shown: Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum), order: sum };
};

interface Question {
  readonly keys: readonly string[];
  readonly count: boolean;
  readonly measures: Readonly<Record<string, readonly string[]>>;
  readonly sort: readonly string[];
  readonly filters: readonly (readonly [string, (thing: Thing) => boolean])[];
  readonly page: { readonly page: number; readonly size: number } | undefined;
  readonly minutes: number;
  readonly caller: number | null | 'everything';
}

const nameOf = (key: string): string => key.replace(':', '_');

const expected = (things: readonly Thing[], question: Question) => {
  const { keys, measures, minutes, caller } = question;
  const matching = things
    .filter(({ user_id }) => caller === 'everything' || (caller !== null && user_id === caller))
    .filter((thing) => question.filters.every(([, holds]) => holds(thing)));
  const keyOf = (thing: Thing, key: string): unknown => {
    const [field = '', bucket] = key.split(':');
    const value = thing[field] ?? null;
    if (bucket !== undefined && value !== null) return bucketOf(String(value), bucket, minutes);
    return shown(field, value);
  };
  const grouped = new Map<string, Thing[]>(keys.length === 0 ? [['[]', []]] : []);
  for (const thing of matching) {
    const key = JSON.stringify(keys.map((each) => keyOf(thing, each)));
    grouped.set(key, [...(grouped.get(key) ?? []), thing]);
  }
  const groups = [...grouped].map(([key, members]) => {
    const values: unknown[] = JSON.parse(key);
    const answer = new Map<string, Measured>();
    keys.forEach((each, index) => {
      const field = each.split(':')[0] ?? '';
      const order = each === field ? (members[0]?.[field] ?? null) : values[index];
      answer.set(nameOf(each), { shown: values[index], order });
    });
    if (question.count) answer.set('count', { shown: members.length, order: members.length });
    for (const measure of ['sum', 'avg', 'min', 'max'])
      for (const field of measures[measure] ?? [])
        answer.set(`${measure}_${field}`, measureOf(measure, field, members));
    return answer;
  });
  const terms = [...question.sort, ...keys.map(nameOf)];
  const sorted = groups.toSorted((a, b) => {
    for (const term of terms) {
      const name = term.replace(/^-/, '');
      const order = compare(a.get(name)?.order, b.get(name)?.order);
      if (order !== 0) return term.startsWith('-') ? -order : order;
    }
    return 0;
  });
  const rows = sorted.map((group) =>
    Object.fromEntries([...group].map(([name, { shown: value }]) => [name, value])),
  );
  if (question.page === undefined) return { rows, total: rows.length };
  const { page, size } = question.page;
  return { rows: rows.slice((page - 1) * size, page * size), total: rows.length };
};

const offsetText = (minutes: number): string => {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${pad(hours)}:${pad(rest)}`;
};

const queryOf = ({ keys, count, measures, sort, filters, page, minutes }: Question): string => {
  const parts = [...filters.map(([text]) => text), `offset=${offsetText(minutes)}`];
  if (keys.length > 0) parts.push(`group=${keys.join(',')}`);
  if (count) parts.push('count');
  for (const [measure, fields] of Object.entries(measures))
    if (fields.length > 0) parts.push(`${measure}=${fields.join(',')}`);
  if (sort.length > 0) parts.push(`sort=${sort.join(',')}`);
  if (page !== undefined) parts.push(`page=${page.page}`, `per_page=${page.size}`);
  return parts.join('&');
};

const ofTimes = [
  'day:day',
  'day:week',
  'day:month',
  'day:year',
  'at:hour',
  'at:day',
  'at:week',
  'at:month',
  'at:year',
];
const keyChoices = ['title', 'n', 'price', 'ratio', 'flag', 'day', 'at', 'state', ...ofTimes];
const numeric = ['id', 'n', 'price', 'ratio'];
const ordered = [...numeric, 'title', 'day', 'at'];

const filterChoices: Question['filters'] = [
  ['filter[state]=live', ({ state }) => state === 'live'],
  ['filter[n][null]=false', ({ n }) => n !== null],
  ['filter[n][gt]=0', ({ n }) => n !== null && Number(n) > 0],
  ['filter[price][lte]=0.5', ({ price }) => price !== null && Number(price) <= 50],
  ['filter[flag][ne]=true', ({ flag }) => flag !== true],
  ['filter[day][gte]=2025-01-01', ({ day }) => day !== null && String(day) >= '2025-01-01'],
  ['filter[title][in]=a,A,%C3%A9', ({ title }) => ['a', 'A', 'é'].includes(String(title))],
  ['filter[id][gt]=1000', () => false],
  ['q=b', ({ title, body }) => /b/i.test(`${title ?? ''} ${body ?? ''}`)],
];

const some = <Value>(values: readonly Value[], most: number) =>
  fc.subarray([...values], { maxLength: most }).chain((chosen) => fc.constant(chosen));

const questions: fc.Arbitrary<Question> = fc
  .record({
    keys: some(keyChoices, 3),
    count: fc.boolean(),
    measures: fc.record({
      sum: some(numeric, 2),
      avg: some(numeric, 2),
      min: some(ordered, 2),
      max: some(ordered, 2),
    }),
    filters: some(filterChoices, 2),
    page: fc.option(
      fc.record({ page: fc.integer({ min: 1, max: 4 }), size: fc.integer({ min: 1, max: 40 }) }),
      {
        nil: undefined,
      },
    ),
    minutes: fc.constantFrom(0, 480, -210, 345, 840, -720, 1439, -1439),
    caller: fc.constantFrom<Question['caller']>('everything', 0, 1, 2, 99, null),
    order: fc.array(fc.nat(), { maxLength: 3 }),
    directions: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  })
  .map(({ order, directions, ...question }) => {
    const names = [
      ...question.keys.map(nameOf),
      ...(question.count ? ['count'] : []),
      ...Object.entries(question.measures).flatMap(([measure, fields]) =>
        fields.map((field) => `${measure}_${field}`),
      ),
    ];
    const count = question.count || names.length === 0;
    const chosen = new Set(names.length === 0 ? [] : order.map((nth) => names[nth % names.length] ?? ''));
    const sort = [...chosen].map((name, index) => (directions[index] === true ? `-${name}` : name));
    return { ...question, count, sort };
  });

describeEachDatabase('aggregate', (databases) => {
  const things = varied(240);
  let database: Database;
  let aggregate: Aggregate;

  beforeAll(async () => {
    database = await databases.open();
    await createThings(database);
    await insertThings(database, things);
    aggregate = createAggregate(database, thingSource);
  });

  const ask = (query: string, grant = everything) => aggregate(grant, { query, path });
  const groups = async (query: string, grant = everything) => (await ask(query, grant)).groups;
  const refusal = async (query: string, grant = everything): Promise<string> => {
    try {
      await ask(query, grant);
    } catch (error) {
      if (error instanceof Problem) return `${error.problem} ${String(error.params['name'])}`;
      throw error;
    }
    return 'taken';
  };

  it('answers what plain JavaScript computes, to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(questions, async (question) => {
        const { caller } = question;
        const grant = typeof caller === 'number' ? ownGrant(caller) : everything;
        // A condition on null is met by no row: it comes from a caller who has no such value.
        const extra = caller === null ? [{ column: 'user_id', value: null }] : [];
        const answer = await aggregate(grant, { query: queryOf(question), path }, extra);
        const { rows, total } = expected(things, question);
        expect(JSON.stringify(answer.groups), queryOf(question)).toBe(JSON.stringify(rows));
        expect(answer.total).toBe(total);
        expect(answer.headers['X-Total-Count']).toBe(question.page && String(total));
      }),
      { numRuns: 250 },
    );
  });

  it('adds whole numbers exactly, also beyond 2^53 and beyond 64 bits', async () => {
    const fresh = await databases.open();
    await createThings(fresh);
    const most = 9_007_199_254_740_991;
    const of = (state: string, n: number, price: number, count: number): Thing[] =>
      Array.from({ length: count }, (_, index) => ({
        title: state,
        n: n - (index === 0 ? 1 : 0),
        price,
        at: '2024-01-01T00:00:00.000Z',
      }));
    await insertThings(fresh, [
      ...of('a', most, 999_999_999_999_999, 2),
      ...of('b', most, 999_999_999_999_999, 1500),
      ...of('c', -most, -999_999_999_999_999, 1500),
      ...of('d', most, 1, 1),
      ...of('d', 2 - most, -1, 1),
      ...of('e', most, 5, 1),
      ...of('f', most + 1, 5, 1),
    ]);
    const answer = await createAggregate(fresh, thingSource)(everything, {
      query: 'group=title&sum=n,price&avg=price&sort=-sum_n',
      path,
    });
    const most1500 = (BigInt(most) * 1500n - 1n).toString();
    const least1500 = (BigInt(-most) * 1500n - 1n).toString();
    expect(answer.groups).toEqual([
      { title: 'b', sum_n: most1500, sum_price: '14999999999999985.00', avg_price: 9_999_999_999_999.99 },
      {
        title: 'a',
        sum_n: '18014398509481981',
        sum_price: '19999999999999.98',
        avg_price: 9_999_999_999_999.99,
      },
      // The greatest one that every JSON reader takes exactly is a number still.
      { title: 'f', sum_n: most, sum_price: '0.05', avg_price: 0.05 },
      { title: 'e', sum_n: most - 1, sum_price: '0.05', avg_price: 0.05 },
      { title: 'd', sum_n: 0, sum_price: '0.00', avg_price: 0 },
      { title: 'c', sum_n: least1500, sum_price: '-14999999999999985.00', avg_price: -9_999_999_999_999.99 },
    ]);
  });

  it('keeps to fifteen digits of sums of binary fractions, and refuses what is no number', async () => {
    const fresh = await databases.open();
    await createThings(fresh);
    const at = '2024-01-01T00:00:00.000Z';
    await insertThings(
      fresh,
      [0.1, 0.2, 0.7, 1e300, 1.7e308, 1.7e308].map((ratio, index) => ({
        n: Math.floor(index / 3),
        ratio,
        at,
      })),
    );
    const of = createAggregate(fresh, thingSource);
    const { groups: found } = await of(everything, { query: 'sum=ratio&avg=ratio&filter[n]=0', path });
    expect(found).toEqual([{ sum_ratio: 1, avg_ratio: 0.333333333333333 }]);
    for (const measure of ['sum', 'avg'])
      await expect(of(everything, { query: `group=n&${measure}=ratio`, path })).rejects.toMatchObject({
        problem: 'invalid_parameter',
        params: { name: measure },
      });
  });

  it('finds the span of every moment that can be stored, wherever its clock stands', async () => {
    const fresh = await databases.open();
    await createThings(fresh);
    const moments = [
      '0001-01-01T00:00:00.000Z',
      '0004-02-29T23:59:59.999Z',
      '1969-12-31T23:59:59.999Z',
      '2021-01-03T22:30:00.000Z',
      '2024-12-30T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
    ];
    await insertThings(
      fresh,
      moments.map((at, index) => ({ id: index + 1, at, day: at.slice(0, 10) })),
    );
    const of = createAggregate(fresh, thingSource);
    for (const minutes of [0, 90, -90, 1439, -1439])
      for (const bucket of ['hour', 'day', 'week', 'month', 'year']) {
        const days = bucket === 'hour' ? '' : `,day:${bucket}`;
        const query = `group=id,at:${bucket}${days}&offset=${offsetText(minutes)}`;
        const { groups: found } = await of(everything, { query, path });
        const rows = moments.map((at, index) => ({
          id: index + 1,
          [`at_${bucket}`]: bucketOf(at, bucket, minutes),
          ...(days === '' ? {} : { [`day_${bucket}`]: bucketOf(at.slice(0, 10), bucket, minutes) }),
        }));
        expect(found, query).toEqual(rows);
      }
  });

  it('takes an offset as it is written, sent with a plus or its escape, and UTC without one', async () => {
    const ahead = await groups('group=at:hour&count&offset=%2B08:00');
    expect(await groups('group=at:hour&count&offset=+08:00')).toEqual(ahead);
    const utc = await groups('group=at:hour&count');
    expect(utc).not.toEqual(ahead);
    expect(await groups('group=at:hour&count&offset=Z')).toEqual(utc);
  });

  it('answers groups page by page as a list does', async () => {
    const answer = await ask('group=id&filter[state]=live&count&page=2&per_page=50&sort=-id');
    expect(answer.groups).toHaveLength(50);
    expect(answer.fields).toEqual(['id', 'count']);
    expect(answer.headers['X-Total-Count']).toBe('120');
    expect(answer.headers.Link).toContain(
      `<${path}?group=id&filter[state]=live&count&sort=-id&page=3&per_page=50>; rel="next"`,
    );
    expect(answer.headers.Link).toContain('page=1&per_page=50>; rel="prev"');
    // Without a page number as well: groups have no cursors.
    expect((await ask('group=id&per_page=100')).headers.Link).toContain('page=2&per_page=100>; rel="next"');
    expect((await ask('group=id&per_page=100&page=9')).groups).toEqual([]);
  });

  it('refuses more groups than an answer holds, unless pages are asked for', async () => {
    const small = createAggregate(database, thingSource, { maxPerPage: 100 });
    const of = (query: string, extra: Parameters<Aggregate>[2] = []) =>
      small(everything, { query, path }, extra);
    await expect(of('group=id')).rejects.toMatchObject({
      problem: 'invalid_parameter',
      params: { name: 'per_page' },
    });
    expect((await of('group=id&per_page=100')).total).toBe(240);
    expect((await of('group=id&filter[id][lte]=100')).groups).toHaveLength(100);
    // Rows out of reach do not count.
    expect((await of('group=id', [{ column: 'user_id', value: 1 }])).groups).toHaveLength(80);
  });

  it('names the field or the parameter that it does not take', async () => {
    const cases: Readonly<Record<string, string>> = {
      '': 'invalid_parameter group',
      'group=': 'invalid_parameter group',
      'group=state,state': 'invalid_parameter group',
      'group=state,': 'invalid_parameter group',
      'group=at:decade': 'invalid_parameter group',
      'group=at:day:hour': 'invalid_parameter group',
      'group=day:hour': 'invalid_parameter group',
      'group=title:day': 'invalid_parameter group',
      'group=at:': 'invalid_parameter group',
      // A text without a limit.
      'group=body': 'invalid_parameter group',
      'min=body': 'invalid_parameter min',
      'group=data': 'unusable_field data',
      'group=nothing': 'unusable_field nothing',
      'group=secret': 'unusable_field secret',
      'group=user_id': 'unusable_field user_id',
      'count&sum=secret': 'unusable_field secret',
      'count&filter[secret]=a': 'unusable_field secret',
      'count=2': 'invalid_parameter count',
      'count&count': 'invalid_parameter count',
      'sum=title': 'invalid_parameter sum',
      'avg=day': 'invalid_parameter avg',
      'min=flag': 'invalid_parameter min',
      'max=state': 'invalid_parameter max',
      'max=uid': 'invalid_parameter max',
      'sum=n,n': 'invalid_parameter sum',
      'group=state&sort=count': 'invalid_parameter sort',
      'count&sort=secret': 'invalid_parameter sort',
      'count&sort=count,-count': 'invalid_parameter sort',
      'count&sort=': 'invalid_parameter sort',
      'count&offset=8': 'invalid_parameter offset',
      'count&offset=+24:00': 'invalid_parameter offset',
      'count&offset=08:00': 'invalid_parameter offset',
      'count&after=': 'invalid_parameter after',
      'count&fields=id': 'invalid_parameter fields',
      'count&per_page=1001': 'invalid_parameter per_page',
      'count&page=0': 'invalid_parameter page',
      'count&having=1': 'invalid_parameter having',
      'count&filter[n][like]=1': 'invalid_parameter filter[n][like]',
    };
    const refused = await Promise.all(Object.keys(cases).map(async (query) => [query, await refusal(query)]));
    expect(Object.fromEntries(refused)).toEqual(cases);
  });

  it('refuses two keys of one name', async () => {
    const title = thingSource.columns.get('title');
    const twin = { ...title, name: 'sum_n' } as NonNullable<typeof title>;
    const source = { ...thingSource, columns: new Map([...thingSource.columns, ['sum_n', twin]]) };
    const of = createAggregate(database, source);
    await expect(
      of(systemGrant(['id', 'n', 'sum_n']), { query: 'group=sum_n&sum=n', path }),
    ).rejects.toMatchObject({ problem: 'invalid_parameter', params: { name: 'group' } });
  });
});
