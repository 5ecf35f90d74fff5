import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { leftBehind } from '../../../tests/support/left-behind.ts';
import { Admission, type Held } from './admission.ts';

/** Milliseconds for two looks and a bit: a statement that is not answered by then stands still. */
const untilItStands = 500;
const sql = 'update orders set n = 1';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const standing = (): Held & { statement: string | undefined; answered: number; succeeded: number } => ({
  patient: false,
  statement: sql,
  topic: 'orders',
  answered: 0,
  succeeded: 0,
  stood: () => {},
});

it('forgets a table that was locked', async () => {
  const admission = new Admission<Held>(4, 2);
  await admission.enter('orders');
  const session = standing();
  const seen = admission.hold(session);
  expect(admission.isSuspect(sql)).toBe(false);
  await vi.advanceTimersByTimeAsync(untilItStands);
  expect([admission.isSuspect(sql), admission.isSuspect('select 1 from users')]).toEqual([true, false]);
  // Refused at last: the place is free, the table is suspect for a while.
  session.statement = undefined;
  admission.leave(seen);
  await admission.enter('users');
  admission.hold({ ...standing(), statement: undefined, topic: 'users' });
  await vi.advanceTimersByTimeAsync(4_000);
  expect(admission.isSuspect(sql)).toBe(true);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(admission.isSuspect(sql)).toBe(false);
});

it('forgets at once a table that answered after all', async () => {
  const admission = new Admission<Held>(4, 2);
  await admission.enter('orders');
  const session = standing();
  const seen = admission.hold(session);
  await vi.advanceTimersByTimeAsync(untilItStands);
  expect(admission.isSuspect(sql)).toBe(true);
  session.statement = undefined;
  session.answered = 1;
  session.succeeded = 1;
  admission.leave(seen);
  expect(admission.isSuspect(sql)).toBe(false);
});

it('keeps nothing of a session that was given back', async () => {
  vi.useRealTimers();
  const admission = new Admission<Held>(10, 5);
  const left = await leftBehind((load) => {
    expect(admission.enter('orders')).toBeUndefined();
    const session = Object.assign(standing(), { load });
    const seen = admission.hold(session);
    return () => admission.leave(seen);
  });
  expect(left).toBeLessThan(100);
  expect([admission.taken, admission.sessions]).toEqual([0, []]);
});
