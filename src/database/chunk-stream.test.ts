import { expect, it } from 'vitest';
import { type ChunkSource, StreamSlots } from './chunk-stream.ts';
import type { Caller } from './database.ts';

const sourceOf = (chunks: readonly string[]): ChunkSource & { ended: number } => {
  let next = 1;
  const chunk = (index: number) => ({ text: chunks[index] ?? '', done: index >= chunks.length - 1 });
  const source = {
    ended: 0,
    first: chunk(0),
    next: async () => chunk(next++),
    end: async () => {
      source.ended += 1;
    },
  };
  return source;
};

/** A caller, and why its connection was cut. */
const callerOf = (caller: string): Caller & { cuts: string[] } => {
  const cuts: string[] = [];
  return {
    caller,
    signal: new AbortController().signal,
    cut: ({ message }) => void cuts.push(message),
    cuts,
  };
};

/** Opens a stream of large chunks without a reader. */
const unread = async (slots: StreamSlots, by: Caller): Promise<AsyncIterableIterator<string>> => {
  const large = 'x'.repeat(70_000);
  return slots.open(async () => sourceOf([large, large, large, large]), by);
};

const service = undefined;

it('ends an unread stream, reports it to its reader, and gives the slot to others', async () => {
  const slots = new StreamSlots({ idle: 200, wait: 0 });
  const sources = Array.from({ length: 8 }, () => sourceOf(['a', 'b']));
  const streams = await Promise.all(sources.map((source) => slots.open(async () => source, service)));
  await expect(slots.open(async () => sourceOf(['c']), service)).rejects.toMatchObject({
    problem: 'overloaded',
  });
  await expect.poll(() => sources.map(({ ended }) => ended)).toEqual(Array.from({ length: 8 }, () => 1));
  await expect(streams[0]?.next()).rejects.toMatchObject({ problem: 'overloaded' });
  await expect(slots.open(async () => sourceOf(['c']), service)).resolves.toBeDefined();
});

it('gives the place back once, however a stream ends', async () => {
  const slots = new StreamSlots({ wait: 0 });
  const failing: ChunkSource = {
    ...sourceOf(['a', 'b']),
    next: () => Promise.reject(new Error('gone')),
  };
  for (let round = 0; round < 9; round += 1) {
    const stream = await slots.open(async () => failing, service);
    expect(await stream.next()).toEqual({ value: 'a', done: false });
    await expect(stream.next()).rejects.toThrow('gone');
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    await stream.return?.();
  }
  const open = await Promise.all(
    Array.from({ length: 8 }, () => slots.open(async () => sourceOf(['a', 'b']), service)),
  );
  expect(open).toHaveLength(8);
  await expect(slots.open(async () => sourceOf(['a']), service)).rejects.toMatchObject({
    problem: 'overloaded',
  });
});

it('gives a caller two places, and cuts its own slow reader for its third', async () => {
  const slots = new StreamSlots({ slow: 50 });
  const [reader, other] = [callerOf('user:1'), callerOf('user:2')];
  const [first, second] = [await unread(slots, reader), await unread(slots, reader)];
  const apart = await unread(slots, other);
  // This one takes its chunks; only the time in which it has one counts.
  const third = unread(slots, reader);
  for (const _ of [1, 2]) await second.next();
  await expect(third).resolves.toBeDefined();
  expect(reader.cuts).toEqual([expect.stringContaining('Too little of the stream')]);
  await expect(first.next()).rejects.toMatchObject({ problem: 'overloaded' });
  expect([other.cuts, (await apart.next()).done]).toEqual([[], false]);
});

it('cuts no stream while none waits, and never one that is read', async () => {
  const slots = new StreamSlots({ slow: 20, wait: 300 });
  const reader = callerOf('net:203.0.113.1');
  const [one, two] = [await unread(slots, reader), await unread(slots, reader)];
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(reader.cuts).toEqual([]);
  const endless = async (stream: AsyncIterableIterator<string>): Promise<void> => {
    for (let count = 0; count < 4; count += 1) await stream.next();
  };
  await Promise.all([endless(one), endless(two)]);
  expect(reader.cuts).toEqual([]);
});

it('answers a known caller however many strangers do not read', async () => {
  const slots = new StreamSlots({ slow: 60_000, wait: 60_000 });
  const strangers = Array.from({ length: 200 }, (_, index) => callerOf(`net:203.0.113.${index}`));
  const waiting = strangers.map((by) => unread(slots, by).catch(() => {}));
  // Two places are no stranger's.
  await expect(unread(slots, callerOf('user:1'))).resolves.toBeDefined();
  await expect(unread(slots, callerOf('app:shop'))).resolves.toBeDefined();
  slots.close();
  await Promise.all(waiting);
});

it('cuts slow strangers for known callers who wait, before any stranger gets a turn', async () => {
  const slots = new StreamSlots({ slow: 30 });
  const strangers = Array.from({ length: 6 }, (_, index) => callerOf(`net:203.0.113.${index}`));
  for (const by of strangers) await unread(slots, by);
  for (const name of ['user:1', 'user:2']) await unread(slots, callerOf(name));
  const late = unread(slots, callerOf('net:198.51.100.1')).then(() => 'stranger');
  const known = unread(slots, callerOf('user:3')).then(() => 'known');
  expect(await Promise.race([late, known])).toBe('known');
  await late;
});
