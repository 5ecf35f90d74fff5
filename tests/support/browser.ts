import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { executablePath } from './chromium.ts';
import { restedPage } from './rested-page.ts';

/** True if there is a browser to test with. */
export const hasBrowser = existsSync(executablePath);

/** Nothing but the page under test shall use the network. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface Sight {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly locale?: string;
  /** IANA name; the machine's own unless given. */
  readonly timezoneId?: string;
}

/** A page and all that it did: which addresses it asked for, what it complained of. */
export interface Watched {
  readonly page: Page;
  /** Every address that was asked for, in order. */
  readonly requests: readonly string[];
  /** Errors and warnings of the console, uncaught errors, refusals of the Content-Security-Policy. */
  readonly complaints: readonly string[];
}

/** The requests of each page that are not answered yet. */
const inFlight = new WeakMap<Page, Set<Request>>();

/**
 * Waits until the page has received what it asked for, has drawn it, and asks for nothing more. Unlike the browser's
 * own word that the network is idle it costs no fixed time.
 */
export const rested = async (page: Page): Promise<void> => {
  const underWay = (): string[] => [...(inFlight.get(page) ?? [])].map((request) => request.url());
  const look = async (): Promise<string[]> => {
    if (underWay().length === 0) await page.evaluate(restedPage);
    return underWay();
  };
  await expect.poll(look, { interval: 20 }).toEqual([]);
};

const watch = async (context: BrowserContext): Promise<Watched> => {
  const requests: string[] = [];
  const complaints: string[] = [];
  const page = await context.newPage();
  const pending = new Set<Request>();
  inFlight.set(page, pending);
  page.on('request', (request) => {
    requests.push(request.url());
    // A stream is never received as a whole.
    if (request.headers()['accept'] !== 'text/event-stream') pending.add(request);
  });
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.type()}: ${message.text()}`);
  });
  await page.exposeFunction('reportViolation', (text: string) => complaints.push(`policy: ${text}`));
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    window.reportViolation(event.violatedDirective + ' ' + event.blockedURI))`);
  return { page, requests, complaints };
};

/** Leaves nothing of a test in a context but what has been fetched, as in a browser whose user has left. */
const clear = async (context: BrowserContext): Promise<void> => {
  for (const page of context.pages()) {
    const { origin } = new URL(page.url());
    const session = await context.newCDPSession(page);
    if (origin !== 'null') await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await page.close();
  }
  await context.clearCookies();
};

/**
 * A browser for the tests of one file or `describe`. Each page has a storage of its own, and is closed with its test.
 * Unless `fresh` is asked for, its cache may hold scripts that a test before has fetched and compiled: a page costs half
 * of what it costs with an empty one.
 */
export const useBrowser = () => {
  let browser: Browser | undefined;
  const free = new Map<string, BrowserContext[]>();
  beforeAll(async () => {
    if (hasBrowser) browser = await chromium.launch({ executablePath, args: flags });
  });
  afterAll(() => browser?.close());
  const newContext = (sight: Sight): Promise<BrowserContext> => {
    if (browser === undefined) throw new Error('the browser has not been started');
    const { width = 1280, height = 900, colorScheme = 'light', locale = 'zh-CN', timezoneId } = sight;
    return browser.newContext({
      viewport: { width, height },
      colorScheme,
      locale,
      ...(timezoneId === undefined ? {} : { timezoneId }),
      permissions: ['clipboard-read', 'clipboard-write'],
    });
  };
  return async ({ fresh = false, ...sight }: Sight & { readonly fresh?: boolean } = {}): Promise<Watched> => {
    if (fresh) return watch(await newContext(sight));
    const key = JSON.stringify(Object.entries(sight).sort());
    const alike = free.get(key) ?? [];
    free.set(key, alike);
    const context = alike.pop() ?? (await newContext(sight));
    onTestFinished(async () => {
      // A context that the test has closed cannot be cleared.
      if (context.pages().length === 0) return context.close();
      await clear(context);
      alike.push(context);
    });
    return watch(context);
  };
};
