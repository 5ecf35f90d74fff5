import type { Page } from 'playwright-core';

/**
 * Counts the calls of JavaScript functions on a page. The returned function returns those since it was called last.
 * Unlike a time, a count does not depend on the speed of the machine.
 */
export const countCalls = async (page: Page): Promise<() => Promise<number>> => {
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return async () => {
    const { result } = await session.send('Profiler.takePreciseCoverage');
    return result
      .flatMap(({ functions }) => functions)
      .reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
  };
};
