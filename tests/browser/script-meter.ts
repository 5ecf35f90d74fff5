import type { Page } from 'playwright-core';

/** Milliseconds that a page has cost since it was loaded. */
export interface PageCost {
  readonly script: number;
  /** Styles and layout. */
  readonly layout: number;
}

/**
 * Tells what a page has cost up to now, by the browser's own figures. They are the CPU time of the page's thread and not
 * the time that went by: others on the same machine make neither of them longer.
 */
export const meter = async (page: Page): Promise<() => Promise<PageCost>> => {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (name: string): number => (metrics.find((each) => each.name === name)?.value ?? 0) * 1000;
    return { script: of('ScriptDuration'), layout: of('LayoutDuration') + of('RecalcStyleDuration') };
  };
};
