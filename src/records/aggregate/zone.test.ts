import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { createThings, insertThings, thingFields, thingSource } from '../../../tests/support/things.ts';
import type { Database } from '../../database/database.ts';
import { systemGrant } from '../../policy/system-grant.ts';
import { createAggregate } from './aggregate.ts';

const everything = systemGrant(thingFields);
const buckets = ['hour', 'day', 'week', 'month', 'year'] as const;
const zones = [
  'Europe/Berlin',
  'Europe/Dublin',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Boa_Vista',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Africa/Casablanca',
  'Africa/Monrovia',
  'Asia/Kathmandu',
  'Asia/Shanghai',
  'Asia/Kolkata',
  'Etc/GMT+12',
  'UTC',
];

/** Local hours that books of history tell: `[zone, moment, hour]`. */
const facts: readonly (readonly [zone: string, moment: string, hour: string])[] = [
  ['Europe/Berlin', '2026-03-29T00:59:59.999Z', '2026-03-29T01'],
  ['Europe/Berlin', '2026-03-29T01:00:00.000Z', '2026-03-29T03'],
  ['Europe/Berlin', '2026-10-25T00:30:00.000Z', '2026-10-25T02'],
  ['Europe/Berlin', '2026-10-25T01:30:00.000Z', '2026-10-25T02'],
  ['Europe/Berlin', '2026-10-25T02:00:00.000Z', '2026-10-25T03'],
  // Local mean time: 53 minutes and 28 seconds ahead.
  ['Europe/Berlin', '1892-12-31T23:06:31.000Z', '1892-12-31T23'],
  ['Europe/Berlin', '1892-12-31T23:06:32.000Z', '1893-01-01T00'],
  ['America/New_York', '2007-03-11T06:59:59.999Z', '2007-03-11T01'],
  ['America/New_York', '2007-03-11T07:00:00.000Z', '2007-03-11T03'],
  ['America/New_York', '0001-01-01T03:00:00.000Z', '0001-01-01T00'],
  ['Australia/Lord_Howe', '2026-01-01T12:59:59.999Z', '2026-01-01T23'],
  ['Australia/Lord_Howe', '2026-01-01T13:00:00.000Z', '2026-01-02T00'],
  ['Australia/Lord_Howe', '2026-07-01T13:29:59.999Z', '2026-07-01T23'],
  ['Australia/Lord_Howe', '2026-07-01T13:30:00.000Z', '2026-07-02T00'],
  ['Australia/Lord_Howe', '2026-04-04T14:59:59.999Z', '2026-04-05T01'],
  ['Australia/Lord_Howe', '2026-04-04T15:29:59.999Z', '2026-04-05T01'],
  ['Australia/Lord_Howe', '2026-04-04T15:30:00.000Z', '2026-04-05T02'],
  // 30 December 2011 did not exist.
  ['Pacific/Apia', '2011-12-30T09:59:59.999Z', '2011-12-29T23'],
  ['Pacific/Apia', '2011-12-30T10:00:00.000Z', '2011-12-31T00'],
  // The day began at one o'clock.
  ['America/Sao_Paulo', '2018-11-04T02:59:59.999Z', '2018-11-03T23'],
  ['America/Sao_Paulo', '2018-11-04T03:00:00.000Z', '2018-11-04T01'],
  ['Africa/Monrovia', '1971-01-01T00:44:29.000Z', '1970-12-31T23'],
  ['Africa/Monrovia', '1971-01-01T00:44:30.000Z', '1971-01-01T00'],
  ['Asia/Kathmandu', '2026-01-01T18:14:59.999Z', '2026-01-01T23'],
  ['Asia/Kathmandu', '2026-01-01T18:15:00.000Z', '2026-01-02T00'],
  ['Asia/Kolkata', '2026-06-30T18:30:00.000Z', '2026-07-01T00'],
  // Summer time was in use from 1986 to 1991.
  ['Asia/Shanghai', '1988-07-01T15:00:00.000Z', '1988-07-02T00'],
  ['Asia/Shanghai', '2026-07-01T15:00:00.000Z', '2026-07-01T23'],
  ['Etc/GMT+12', '9999-12-31T23:59:59.999Z', '9999-12-31T11'],
  ['Europe/Berlin', '9999-12-31T23:59:59.999Z', '9999-12-31T23'],
  // After the computed changes the last offset holds.
  ['Europe/Berlin', '2099-07-01T22:00:00.000Z', '2099-07-02T00'],
  ['Europe/Berlin', '2150-07-01T22:00:00.000Z', '2150-07-01T23'],
];

// The oracle: a calendar that is read for each moment by itself, and counts days with integers.

const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const numeric = 'numeric';
  const made = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, calendar: 'iso8601', hourCycle: 'h23' },
    ...{ year: numeric, month: numeric, day: numeric, hour: numeric },
  });
  formats.set(timeZone, made);
  return made;
};

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

/** Day of the year from 1, and weekday from Monday as 0. */
const dayOf = (year: number, month: number, day: number) => {
  const lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  const nth = lengths.slice(0, month - 1).reduce((sum, each) => sum + each, 0) + day;
  const before = year - 1;
  const days = before * 365 + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  // 1 January of the year 1 was a Monday.
  return { nth, weekday: (days + nth - 1) % 7 };
};

const weeksOf = (year: number): number => {
  const first = dayOf(year, 1, 1).weekday;
  return first === 3 || (first === 2 && isLeap(year)) ? 53 : 52;
};

const weekOf = (year: number, month: number, day: number): string => {
  const { nth, weekday } = dayOf(year, month, day);
  const week = Math.floor((nth - 1 - weekday + 10) / 7);
  if (week < 1) return `${pad(year - 1, 4)}-W${pad(weeksOf(year - 1))}`;
  if (week > weeksOf(year)) return `${pad(year + 1, 4)}-W01`;
  return `${pad(year, 4)}-W${pad(week)}`;
};

const spansOf = (timeZone: string, at: number): Readonly<Record<(typeof buckets)[number], string>> => {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0 } = parts as Record<string, number>;
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
  return {
    hour: `${date}T${pad(hour)}`,
    day: date,
    week: weekOf(year, month, day),
    month: date.slice(0, 7),
    year: date.slice(0, 4),
  };
};

/** Half of the moments are within hours of a change of summer time, which most zones make in these weeks. */
const moment = fc.oneof(
  fc.integer({ min: Date.UTC(1840, 0, 2), max: Date.UTC(2099, 11, 30) }),
  fc
    .record({
      year: fc.integer({ min: 1916, max: 2099 }),
      month: fc.constantFrom(2, 3, 8, 9, 10),
      day: fc.integer({ min: 1, max: 31 }),
      minute: fc.integer({ min: 0, max: 1439 }),
    })
    .map(({ year, month, day, minute }) => Date.UTC(year, month, day, 0, minute)),
);

describeEachDatabase('the zone of an aggregate', (databases) => {
  let database: Database;
  const seed = Date.now() % 1_000_000;
  const stored: number[] = fc
    .sample(moment, { numRuns: 900, seed })
    .map((at) => Math.floor(at / 1000) * 1000);

  beforeAll(async () => {
    database = await databases.open();
    await createThings(database);
    await insertThings(
      database,
      stored.map((at, index) => ({ id: index + 1, at: new Date(at).toISOString(), day: '2026-03-29' })),
    );
  });

  it.each(zones)('groups by the calendar of %s', async (zone) => {
    for (const bucket of buckets) {
      const counts = new Map<string, number>();
      for (const at of stored) {
        const span = spansOf(zone, at)[bucket];
        counts.set(span, (counts.get(span) ?? 0) + 1);
      }
      const query = `group=at:${bucket}&count&zone=${encodeURIComponent(zone)}`;
      const of = createAggregate(database, thingSource);
      const { groups } = await of(everything, { query, path: '' });
      const expected = [...counts].sort().map(([span, count]) => ({ [`at_${bucket}`]: span, count }));
      expect(groups, `${query}, seed ${seed}`).toEqual(expected);
    }
  });

  it('knows what history tells of local times', async () => {
    const fresh = await databases.open();
    await createThings(fresh);
    await insertThings(
      fresh,
      facts.map(([, at], index) => ({ id: index + 1, at, day: '2026-03-29', n: index })),
    );
    const of = createAggregate(fresh, thingSource);
    for (const [index, [zone, at, hour]] of facts.entries()) {
      const one = `filter[id]=${index + 1}&zone=${encodeURIComponent(zone)}`;
      const query = `group=at:hour,at:day,day:day,n&max=at&${one}`;
      const { groups } = await of(everything, { query, path: '' });
      const at_day = hour.slice(0, 10);
      // A date has no zone, and the greatest moment is returned in UTC.
      expect(groups, `${zone} ${at}`).toEqual([
        { at_hour: hour, at_day, day_day: '2026-03-29', n: index, max_at: at },
      ]);
    }
  });

  it('takes a plus of a name as it is, and names in any case', async () => {
    const of = createAggregate(database, thingSource);
    const groups = async (zone: string) =>
      (await of(everything, { query: `group=at:month&count&zone=${zone}`, path: '' })).groups;
    expect(await groups('Etc/GMT+12')).toEqual(await groups('Etc/GMT%2B12'));
    expect(await groups('europe/berlin')).toEqual(await groups('Europe/Berlin'));
    expect(await groups('Europe/Berlin')).not.toEqual(await groups('UTC'));
  });

  it.each([
    ['zone=Europe/Berlni', 'time_zone'],
    ['zone=', 'time_zone'],
    ['zone=%2B08:00', 'time_zone'],
    ['zone=../Berlin', 'time_zone'],
    [`zone=${'x'.repeat(65)}`, 'time_zone'],
    ['zone=Europe/Berlin&offset=Z', 'zone_or_offset'],
  ])('refuses %s', async (query, rule) => {
    const of = createAggregate(database, thingSource);
    await expect(of(everything, { query: `count&${query}`, path: '' })).rejects.toMatchObject({
      problem: 'invalid_record',
      errors: [{ field: 'zone', rule, message: expect.stringMatching(/^zone (?:must be|and offset)/) }],
    });
  });
});
