import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';

/** The costs of the first visit of a page. */
export interface PageCost {
  readonly requests: number;
  /** Bytes of all responses as they were transferred, with gzip, headers included. */
  readonly bytes: number;
  /** Milliseconds of processor time of the page's thread in scripts. */
  readonly scriptMs: number;
  /** Milliseconds of processor time of the page's thread in everything. */
  readonly taskMs: number;
  /** Sum of all layout shifts that followed no input. */
  readonly shift: number;
}

/** The costs of scrolling for the page's thread. */
export interface ScrollCost {
  /** Frames that the browser produced while it scrolled. */
  readonly frames: number;
  /** Share of the frames that followed the one before within 17.7 ms: 60 per second, with a millisecond of tolerance. */
  readonly inTime: number;
  /** Milliseconds of processor time of the page's thread a frame, and in its longest task. */
  readonly msPerFrame: number;
  readonly longestTaskMs: number;
}

/** Sums the layout shifts of a page from its first moment on; `shiftOf` reads the sum. */
export const watchShifts = (target: Page | BrowserContext): Promise<unknown> =>
  target.addInitScript(`window.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });`);

export const shiftOf = (page: Page): Promise<number> => page.evaluate<number>('window.shifted');

/** Reads the browser's own figures in milliseconds of processor time: others on the same machine add nothing to them. */
const readTimes = async (session: CDPSession): Promise<(name: string) => number> => {
  const { metrics } = await session.send('Performance.getMetrics');
  return (name) => (metrics.find((each) => each.name === name)?.value ?? 0) * 1000;
};

const meter = async (page: Page): Promise<CDPSession> => {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return session;
};

/**
 * Measures a visit in a context of its own, whose cache is empty.
 * @param visit opens the page, and resolves when nothing is under way any more
 */
export const measurePage = async (
  context: BrowserContext,
  visit: (page: Page) => Promise<void>,
): Promise<PageCost> => {
  await watchShifts(context);
  const page = await context.newPage();
  const session = await meter(page);
  await session.send('Network.enable');
  // Older clients and most measurements take gzip; browsers also take Brotli, which is a sixth smaller.
  await page.setExtraHTTPHeaders({ 'Accept-Encoding': 'gzip' });
  let requests = 0;
  let bytes = 0;
  session.on('Network.requestWillBeSent', () => {
    requests += 1;
  });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await visit(page);
  const times = await readTimes(session);
  return {
    requests,
    bytes,
    scriptMs: times('ScriptDuration'),
    taskMs: times('TaskDuration'),
    shift: await shiftOf(page),
  };
};

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** The longest task of the page's thread in a trace, in milliseconds of processor time. */
const longestTask = (trace: Buffer): number => {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const threads = traceEvents
    .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
    .map(({ pid, tid }) => `${pid} ${tid}`);
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && threads.includes(`${pid} ${tid}`),
  );
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1000));
};

/** Scrolls the page down and up again with the wheel, as fast as a person does, and tells what that cost. */
export const measureScroll = async (browser: Browser, page: Page): Promise<ScrollCost> => {
  const session = await meter(page);
  await page.evaluate(`(() => {
    window.intervals = [];
    let before;
    const frame = (now) => {
      if (before !== undefined) window.intervals.push(now - before);
      before = now;
      window.frame = requestAnimationFrame(frame);
    };
    window.frame = requestAnimationFrame(frame);
  })()`);
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', '__metadata'] });
  const before = await readTimes(session);
  for (const yDistance of [-3000, 3000])
    await session.send('Input.synthesizeScrollGesture', {
      ...{ x: 640, y: 500, yDistance, speed: 1500 },
      gestureSourceType: 'mouse',
    });
  const after = await readTimes(session);
  const trace = await browser.stopTracing();
  const intervals = await page.evaluate<number[]>('cancelAnimationFrame(window.frame); window.intervals');
  return {
    frames: intervals.length,
    inTime: intervals.filter((each) => each <= 17.7).length / intervals.length,
    msPerFrame: (after('TaskDuration') - before('TaskDuration')) / intervals.length,
    longestTaskMs: longestTask(trace),
  };
};
