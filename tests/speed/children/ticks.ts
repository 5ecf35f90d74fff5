/**
 * Loaded before a process's own program: at a SIGURG it finds out what a tick costs, and what it costs after a collection
 * of all that can be collected, and writes both to the file `TICKS`, as JSON, in microseconds.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { setImmediate as turn } from 'node:timers/promises';

const nothing = (): void => {};

const round = async (): Promise<number> => {
  const begun = performance.now();
  for (let turns = 0; turns < 100; turns += 1) {
    for (let ticks = 0; ticks < 100; ticks += 1) process.nextTick(nothing);
    await turn();
  }
  return (performance.now() - begun) / 10;
};

/** The least of many short rounds: those in which the code is compiled, and those that others disturb, take longer. */
const leastOfRounds = async (): Promise<number> => {
  let least = Infinity;
  for (let rounds = 0; rounds < 100; rounds += 1) least = Math.min(least, await round());
  return least;
};

const collect = async (): Promise<void> => {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
};

process.once('SIGURG', async () => {
  const before = await leastOfRounds();
  await collect();
  const after = await leastOfRounds();
  const file = process.env['TICKS'] ?? '';
  writeFileSync(`${file}.new`, JSON.stringify({ before, after }));
  renameSync(`${file}.new`, file);
});
