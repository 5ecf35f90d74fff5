import { expect, it } from 'vitest';
import { type ShareLimits, Shares } from './shares.ts';

const limits: ShareLimits = { what: 'this', total: 4, each: 2, strangers: 3, queue: 8, wait: 60_000 };
const by = (caller: string, signal = new AbortController().signal) => ({ caller, signal, cut: () => {} });
const overloaded = { problem: 'overloaded', status: 503, headers: { 'Retry-After': expect.any(String) } };

it('gives each caller a share, and all strangers a single one', async () => {
  const shares = new Shares({ ...limits, wait: 5 });
  const held = [await shares.take(by('user:1')), await shares.take(by('user:1'))];
  await expect(shares.take(by('user:1'))).rejects.toMatchObject(overloaded);
  for (const free of held) free();
  for (const name of ['net:1', 'net:1', 'net:2']) await shares.take(by(name));
  await expect(shares.take(by('net:3'))).rejects.toMatchObject(overloaded);
  const free = await shares.take(by('user:1'));
  await expect(shares.take(by('user:2'))).rejects.toMatchObject(overloaded);
  free();
  free();
  await shares.take(by('user:2'));
  await expect(shares.take(by('user:2'))).rejects.toMatchObject(overloaded);
});

it('gives a free place to known callers first, and to each in turn', async () => {
  const shares = new Shares({ ...limits, total: 1 });
  const free = await shares.take(undefined);
  const order: string[] = [];
  const asked = ['net:1', 'user:1', 'user:1', 'user:2', 'net:2', 'user:3'].map(async (name) => {
    const release = await shares.take(by(name));
    order.push(name);
    release();
  });
  expect(shares.waiting).toBe(6);
  free();
  await Promise.all(asked);
  expect(order).toEqual(['user:1', 'user:2', 'user:3', 'user:1', 'net:1', 'net:2']);
});

it('lets a caller have no more than a quarter of the queue, and forgets who hung up', async () => {
  const shares = new Shares({ ...limits, total: 1 });
  const free = await shares.take(undefined);
  const gone = new AbortController();
  const hungUp = shares.take(by('user:1', gone.signal));
  const second = shares.take(by('user:1'));
  await expect(shares.take(by('user:1'))).rejects.toMatchObject(overloaded);
  gone.abort();
  await expect(hungUp).rejects.toMatchObject(overloaded);
  await expect(shares.take(by('user:1', gone.signal))).rejects.toMatchObject(overloaded);
  free();
  await expect(second).resolves.toBeTypeOf('function');
});

it('refuses everybody once it is closed', async () => {
  const shares = new Shares({ ...limits, total: 1 });
  await shares.take(undefined);
  const waiting = shares.take(by('user:1'));
  shares.close();
  const closed = { problem: 'database_unavailable' };
  await expect(waiting).rejects.toMatchObject(closed);
  await expect(shares.take(by('user:1'))).rejects.toMatchObject(closed);
});
