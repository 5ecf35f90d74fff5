import { describe, expect, it } from 'vitest';
import { freeBytes, OwnedBytes } from './json.ts';

describe('bytes that are given away', () => {
  it('bytes that are given away are gone for their former owner, and the same for the new one', () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const owned = new OwnedBytes(bytes);
    expect(bytes.byteLength).toBe(0);
    expect(() => bytes.slice()).toThrow(TypeError);
    expect(owned.byteLength).toBe(3);
    expect([...owned.take()]).toEqual([1, 2, 3]);
  });

  it('bytes that are given away are taken once, and have no length after that', () => {
    const owned = new OwnedBytes(new Uint8Array(3));
    owned.take();
    expect(() => owned.take()).toThrow('the bytes were already taken');
    expect(() => owned.byteLength).toThrow('the bytes were already taken');
  });

  it('bytes that are given away take nothing along of what they are a part of', () => {
    const whole = new Uint8Array([1, 2, 3, 4]);
    const owned = new OwnedBytes(whole.subarray(1, 3));
    const taken = owned.take();
    freeBytes(taken);
    expect([[...taken], [...whole]]).toEqual([
      [2, 3],
      [1, 2, 3, 4],
    ]);
  });

  it('bytes that are given away are freed by their new owner', () => {
    const taken = new OwnedBytes(new Uint8Array(3)).take();
    freeBytes(taken);
    expect(taken.byteLength).toBe(0);
  });
});
