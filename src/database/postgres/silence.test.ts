import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Silence } from './silence.ts';

describe('silence', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('fails every statement that waits, once nothing was asked for so long', () => {
    const silence = new Silence(1000, () => {});
    const [answered, first, second] = [vi.fn(), vi.fn(), vi.fn()];
    const waiting = silence.begin(answered);
    silence.begin(first);
    vi.advanceTimersByTime(900);
    silence.end(waiting);
    silence.begin(second);
    vi.advanceTimersByTime(999);
    expect(first).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(answered).not.toHaveBeenCalled();
    for (const reject of [first, second]) expect(reject).toHaveBeenCalledExactlyOnceWith(expect.any(Error));
  });

  it('is suspect every second until then', () => {
    const suspect = vi.fn();
    const silence = new Silence(3_500, suspect);
    const reject = vi.fn();
    silence.begin(reject);
    vi.advanceTimersByTime(3_000);
    expect([suspect.mock.calls.length, reject.mock.calls.length]).toEqual([3, 0]);
    vi.advanceTimersByTime(1_000);
    expect([suspect.mock.calls.length, reject.mock.calls.length]).toEqual([3, 1]);
    vi.advanceTimersByTime(5_000);
    expect(suspect).toHaveBeenCalledTimes(3);
  });

  it('watches again after a pause in which nobody asked', () => {
    const silence = new Silence(1000, () => {});
    vi.advanceTimersByTime(5000);
    const reject = vi.fn();
    silence.begin(reject);
    vi.advanceTimersByTime(999);
    expect(reject).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(reject).toHaveBeenCalledOnce();
  });
});
