import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void;

/** Bytes that hang on each thing; small enough that their number is no reason to search the whole memory. */
const weight = 10_000;

const cameAndWent = 2_000;

/**
 * Has many things come and go, few at a time, and says how many of them are still there afterwards although only the young
 * part of the memory was searched, as it is between two requests. `come` takes a thing in and answers what lets it go.
 */
export const leftBehind = async (come: (load: Uint8Array) => () => void): Promise<number> => {
  const leave: (() => void)[] = [];
  /** What lives through two of these grows old: wherever the things stand does so, they themselves do not. */
  const search = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    collect({ type: 'minor' });
  };
  come(new Uint8Array(weight))();
  for (let count = 0; count < 3; count += 1) await search();
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 1; count <= cameAndWent; count += 1) {
    leave.push(come(new Uint8Array(weight)));
    if (leave.length > 3) leave.shift()?.();
    if (count % 50 === 0) await search();
  }
  while (leave.length > 0) leave.shift()?.();
  for (let count = 0; count < 3; count += 1) await search();
  return Math.round((process.memoryUsage().arrayBuffers - before) / weight);
};
