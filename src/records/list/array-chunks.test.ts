import { describe, expect, it } from 'vitest';
import { ArrayChunks } from './array-chunks.ts';

const source = (chunks: readonly string[]) => {
  const rest = [...chunks];
  const state = { ended: false };
  const iterator: AsyncIterator<string> = {
    next: async () => {
      const value = rest.shift();
      return value === undefined ? { done: true, value } : { done: false, value };
    },
    return: async () => {
      state.ended = true;
      return { done: true, value: undefined };
    },
  };
  return { iterator, state };
};

describe('ArrayChunks', () => {
  it.each([
    [[], '[]'],
    [[''], '[]'],
    [['1'], '[1]'],
    [['1,2', '', '3'], '[1,2,3]'],
  ])('makes an array of %j', async (chunks, text) => {
    const pieces: string[] = [];
    for await (const piece of new ArrayChunks(source(chunks).iterator)) pieces.push(piece);
    expect(pieces.join('')).toBe(text);
  });

  it('ends its source when it is left, also unread', async () => {
    const unread = source(['1']);
    await new ArrayChunks(unread.iterator).return();
    expect(unread.state.ended).toBe(true);
    const { next } = source(['1']).iterator;
    const endless = new ArrayChunks({ next });
    expect(await endless.return()).toEqual({ done: true, value: undefined });
    const left = source(['1', '2']);
    const chunks = new ArrayChunks(left.iterator);
    for await (const _ of chunks) break;
    expect(left.state.ended).toBe(true);
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  });
});
