import { expect, it } from 'vitest';
import { type ChunkSource, StreamSlots } from './chunk-stream.ts';

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

it('ends a stream that nobody reads, tells its reader, and gives the place to others', async () => {
  const slots = new StreamSlots(5);
  const sources = Array.from({ length: 8 }, () => sourceOf(['a', 'b']));
  const streams = await Promise.all(sources.map((source) => slots.open(async () => source)));
  await expect(slots.open(async () => sourceOf(['c']))).rejects.toMatchObject({ problem: 'overloaded' });
  await expect.poll(() => sources.map(({ ended }) => ended)).toEqual(Array.from({ length: 8 }, () => 1));
  await expect(streams[0]?.next()).rejects.toMatchObject({ problem: 'overloaded' });
  await expect(slots.open(async () => sourceOf(['c']))).resolves.toBeDefined();
});

it('gives the place back once, however a stream ends', async () => {
  const slots = new StreamSlots();
  const failing: ChunkSource = {
    ...sourceOf(['a', 'b']),
    next: () => Promise.reject(new Error('gone')),
  };
  for (let round = 0; round < 9; round += 1) {
    const stream = await slots.open(async () => failing);
    expect(await stream.next()).toEqual({ value: 'a', done: false });
    await expect(stream.next()).rejects.toThrow('gone');
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    await stream.return?.();
  }
  const open = await Promise.all(
    Array.from({ length: 8 }, () => slots.open(async () => sourceOf(['a', 'b']))),
  );
  expect(open).toHaveLength(8);
  await expect(slots.open(async () => sourceOf(['a']))).rejects.toMatchObject({ problem: 'overloaded' });
});
