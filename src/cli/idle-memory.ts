import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';

/** Milliseconds between two looks, and the part of them in which the main thread may have worked. */
const interval = 1_000;
const idle = 0.05;

/** What V8 does when memory runs low: it collects all that it can, and gives the pages back to the system. */
const collectAll = async (): Promise<void> => {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
};

/**
 * Percent by which the memory for old objects may grow before it is collected. Left to itself, Node lets it treble under
 * load, for the sake of a collection every 20 seconds instead of every two. Asked for behind the start, which would be
 * held up by one more of them.
 */
export const growSlowly = (): void => setFlagsFromString('--heap-growing-percent=50');

/**
 * Gives back what the start took. Loading makes V8 let the memory for young objects grow to its limit, and it keeps that
 * until many collections later: 15 MB of 105, while nobody asks for anything. Giving it back stops the process for some
 * 50 ms, so that is done once, after the first second in which the main thread had nothing to do.
 */
export const giveBackMemory = (logger: Pick<Logger, 'warn'>): void => {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > idle) return;
    clearInterval(timer);
    collectAll().catch((error: unknown) =>
      logger.warn({ err: error }, 'the memory of the start is not given back'),
    );
  }, interval).unref();
};
