import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Silence } from './silence.ts';

describe('silence', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const watched = (limitMs: number) => {
    const [suspect, endConnection] = [vi.fn(), vi.fn()];
    return { silence: new Silence(limitMs, suspect, endConnection), suspect, endConnection };
  };

  it('ends the connection when a statement waits and none was sent for so long', () => {
    const { silence, endConnection } = watched(1000);
    silence.begin();
    silence.begin();
    vi.advanceTimersByTime(900);
    silence.end();
    silence.begin();
    vi.advanceTimersByTime(999);
    expect(endConnection).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(endConnection).toHaveBeenCalledOnce();
  });

  it('silence does nothing when every statement has its response', () => {
    const { silence, suspect, endConnection } = watched(1000);
    silence.begin();
    silence.end();
    vi.advanceTimersByTime(5_000);
    expect([suspect, endConnection].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  });

  it('silence is suspect every second until every statement has its response', () => {
    const { silence, suspect, endConnection } = watched(3_500);
    silence.begin();
    vi.advanceTimersByTime(3_000);
    expect([suspect.mock.calls.length, endConnection.mock.calls.length]).toEqual([3, 0]);
    vi.advanceTimersByTime(1_000);
    expect([suspect.mock.calls.length, endConnection.mock.calls.length]).toEqual([3, 1]);
    vi.advanceTimersByTime(5_000);
    expect(suspect).toHaveBeenCalledTimes(3);
  });

  it('watches again after a pause without statements', () => {
    const { silence, endConnection } = watched(1000);
    vi.advanceTimersByTime(5000);
    silence.begin();
    vi.advanceTimersByTime(999);
    expect(endConnection).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(endConnection).toHaveBeenCalledOnce();
  });
});
