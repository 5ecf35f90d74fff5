import { describe, expect, expectTypeOf, it } from 'vitest';
import { createApplication } from '../../app/application.ts';
import { field } from '../../fields/define.ts';
import { DefinitionError } from '../../model/definition-error.ts';
import type { Job } from '../../model/job.ts';
import { defineJob, type JobDefinition, parseSchedule } from './define-job.ts';

const handle = (): void => {};

describe('defineJob', () => {
  it.each<[string, object, string]>([
    ['an unknown option', { handle, attemps: 3 }, 'there is no option "attemps": the nearest is "attempts"'],
    ['no handle', { attempts: 3 }, 'it has no handle'],
    ['no attempts', { handle, attempts: 0 }, 'attempts must be a whole number from 1 to 1000, not 0'],
    ['part of a second', { handle, timeout: 0.5 }, 'timeout must be a whole number from 1 to 86400, not 0.5'],
    ['a text for a number', { handle, timeout: '60' }, 'timeout must be a number, not "60"'],
    ['no cron expression', { handle, every: 'daily' }, 'every daily is not a cron expression'],
    ['a day that never comes', { handle, every: '0 0 30 2 *' }, 'every 0 0 30 2 * never comes'],
    ['no time zone', { handle, every: '@daily', timeZone: 'Mars/Olympus' }, 'timeZone Mars/Olympus is none'],
    ['a zone for nothing', { handle, timeZone: 'UTC' }, 'timeZone goes with every'],
    [
      'a recurring job that needs values',
      { handle, every: '@daily', input: { day: field.date({ required: true }) } },
      'its field day cannot be required without a default',
    ],
    [
      'a field that is none',
      { handle, input: { day: 'date' } },
      'input.day must be made by a function of `field`',
    ],
    [
      'a field with a wrong option',
      { handle, input: { n: field.integer({ mn: 1 } as object) } },
      '"mn": the nearest is "min"',
    ],
  ])('a job is refused with %s', (_, definition, message) => {
    expect(() => defineJob(definition as JobDefinition)).toThrow(message);
    expect(() => defineJob(definition as JobDefinition)).toThrow(DefinitionError);
  });

  it('types values exactly: what is sent, and what is there once it was checked', () => {
    const mail = defineJob({
      input: {
        to: field.email({ required: true }),
        copies: field.integer({ default: 1 }),
        note: field.text(),
      },
      handle: ({ values, id, attempt, signal, records, jobs }) => {
        expectTypeOf(values.to).toEqualTypeOf<string>();
        expectTypeOf(values.note).toEqualTypeOf<string | null | undefined>();
        expectTypeOf({ id, attempt, signal }).toEqualTypeOf<{
          id: number;
          attempt: number;
          signal: AbortSignal;
        }>();
        // @ts-expect-error there is no such field
        void values.subject;
        void records;
        void jobs.add(mail, { to: 'a@example.com' });
        // @ts-expect-error a field of the input that is needed
        void jobs.add(mail, { copies: 2 });
        // @ts-expect-error of another type
        void jobs.add(mail, { to: 5 });
      },
    });
    expectTypeOf(mail).toExtend<
      Job<{ readonly to: string; readonly copies?: number | null; readonly note?: string | null }>
    >();
    expect(Object.isFrozen(mail)).toBe(true);
  });

  it('a job is named by its file, which has to be a name', () => {
    const job = defineJob({ handle });
    expect([...createApplication({ jobs: { 'send-mail': job } }).jobs.keys()]).toEqual(['send-mail']);
    expect(() => createApplication({ jobs: { 'send mail': job } })).toThrow(
      'job send mail: a name is a letter',
    );
    expect(() => createApplication({ jobs: { mail: { handle } } })).toThrow(
      'job mail: it was not made by defineJob',
    );
  });
});

describe('a schedule', () => {
  const ticks = (every: string, timeZone: string | undefined, from: string, count: number): string[] => {
    const schedule = parseSchedule(every, timeZone);
    const found: string[] = [];
    for (let at = Date.parse(from); found.length < count; ) {
      at = schedule.next(at) ?? Number.NaN;
      found.push(new Date(at).toISOString().slice(0, 16));
    }
    return found;
  };

  it('a schedule is in UTC unless another zone is given', () => {
    expect(ticks('30 3 * * *', undefined, '2026-11-22T03:30:00Z', 2)).toEqual([
      '2026-11-23T03:30',
      '2026-11-24T03:30',
    ]);
    expect(ticks('0 3 * * mon', 'Asia/Shanghai', '2026-11-22T00:00:00Z', 1)).toEqual(['2026-11-22T19:00']);
  });

  it('comes once on the days that have no such hour, or two', () => {
    // 2 to 3 o'clock is left out on 29 March 2026 and comes twice on 25 October.
    expect(ticks('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
    expect(ticks('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });
});
