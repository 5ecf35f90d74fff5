import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { createThings, emptyThing, insertThings, thingSource } from '../../../tests/support/things.ts';
import { SizeEstimate, smallTable } from './run.ts';

const { id: _id, ...blank } = emptyThing;

describeEachDatabase('the size of a table', (databases) => {
  it('counts again after a second, and where the clock was set back', async () => {
    const database = await databases.open();
    await createThings(database);
    let now = 10_000;
    const size = new SizeEstimate(database, thingSource, () => now);
    expect(size.recent()).toBeUndefined();
    expect(await size.rows()).toBe(0);
    await insertThings(database, [blank, blank]);
    now += 999;
    expect(size.recent()).toBe(0);
    now += 1;
    expect(size.recent()).toBeUndefined();
    expect(await size.rows()).toBe(2);
    expect(size.recent()).toBe(2);
    now -= 1;
    expect(size.recent()).toBeUndefined();
  });

  it('the size of a table is counted up to where it is large, once for all simultaneous callers', async () => {
    const database = await databases.open();
    await createThings(database);
    await insertThings(
      database,
      Array.from({ length: smallTable + 3 }, () => blank),
    );
    const size = new SizeEstimate(database, thingSource, () => 0);
    const [first, second] = [size.rows(), size.rows()];
    expect(first).toBe(second);
    expect(await first).toBe(smallTable + 1);
    const later = size.rows();
    expect(later).not.toBe(first);
    await later;
  });
});
