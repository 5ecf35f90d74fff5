import { describe, expect, it } from 'vitest';
import { Problem } from '../kernel/problem.ts';
import { type BodyHolder, BodyMemory } from './body.ts';

const stranger = (): BodyHolder => ({ held: 0, unidentified: true });
const known = (): BodyHolder => ({ held: 0, unidentified: false });

/** A body that comes until it is refused. */
const coming = (memory: BodyMemory, holder: BodyHolder, bytes: number) => {
  const state = { holder, refused: false };
  const body = memory.begin(holder, () => {
    state.refused = true;
  });
  memory.take(holder, bytes);
  return Object.assign(state, { complete: () => memory.complete(body) });
};

const refusalOf = (work: () => void): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Problem ? [error.problem, error.headers] : error;
  }
};

const overloaded = ['overloaded', { 'Retry-After': '1' }];

describe('the memory for bodies', () => {
  it('takes so many bytes and gives them back', () => {
    const memory = new BodyMemory(100);
    const [one, two] = [known(), known()];
    memory.take(one, 60);
    memory.take(two, 40);
    expect(refusalOf(() => memory.take(known(), 1))).toEqual(overloaded);
    memory.release(one);
    memory.release(one);
    expect([memory.held, one.held]).toEqual([40, 0]);
    memory.take(one, 60);
    expect(memory.held).toBe(100);
  });

  it('leaves half to callers who are known', () => {
    const memory = new BodyMemory(100);
    memory.take(stranger(), 50);
    expect(refusalOf(() => memory.take(stranger(), 1))).toEqual(overloaded);
    expect(refusalOf(() => memory.take(known(), 50))).toBeUndefined();
  });

  it('counts a caller with credentials among the known', () => {
    const memory = new BodyMemory(100);
    const holder = { held: 0, unidentified: true };
    memory.take(holder, 50);
    memory.identify(holder);
    holder.unidentified = false;
    expect(refusalOf(() => memory.take(stranger(), 50))).toBeUndefined();
    memory.release(holder);
    expect(refusalOf(() => memory.take(known(), 50))).toBeUndefined();
  });

  it('the largest body that is still coming gives way to a smaller one', () => {
    const memory = new BodyMemory(100);
    const [small, large] = [coming(memory, known(), 30), coming(memory, known(), 70)];
    expect(refusalOf(() => memory.take(known(), 70))).toEqual(overloaded);
    memory.take(known(), 10);
    expect([small.refused, large.refused, large.holder.held, memory.held]).toEqual([false, true, 0, 40]);
  });

  it('an unauthenticated body gives way to an authenticated one, and no authenticated one to an unauthenticated one', () => {
    const memory = new BodyMemory(100);
    const [unknown, mine] = [coming(memory, stranger(), 10), coming(memory, known(), 90)];
    expect(refusalOf(() => memory.take(stranger(), 10))).toEqual(overloaded);
    memory.take(known(), 10);
    expect([unknown.refused, mine.refused]).toEqual([true, false]);
  });

  it('a body that has come whole never gives way', () => {
    const memory = new BodyMemory(100);
    const body = coming(memory, known(), 100);
    body.complete();
    expect(refusalOf(() => memory.take(known(), 1))).toEqual(overloaded);
    expect(body.refused).toBe(false);
  });

  it('counts what bodies are parsed to, a quarter of all at most', () => {
    const memory = new BodyMemory(100_000);
    const holder = known();
    memory.takeParsed(holder, 10);
    expect(holder.held).toBe(640);
    memory.takeParsed(holder, 1_000_000);
    expect(holder.held).toBe(25_640);
  });
});
