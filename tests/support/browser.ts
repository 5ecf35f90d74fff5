import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

/** Where Debian has it; CHROMIUM names another. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Whether there is a browser to test with. */
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

const watch = async (context: BrowserContext): Promise<Watched> => {
  const requests: string[] = [];
  const complaints: string[] = [];
  const page = await context.newPage();
  page.on('request', (request) => requests.push(request.url()));
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

/** A browser for the tests of one `describe`; each page has a context, and so a storage, of its own. */
export const useBrowser = () => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: flags });
  });
  afterAll(() => browser?.close());
  return async (sight: Sight = {}): Promise<Watched> => {
    if (browser === undefined) throw new Error('the browser has not been started');
    const { width = 1280, height = 900, colorScheme = 'light', locale = 'zh-CN', timezoneId } = sight;
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme,
      locale,
      ...(timezoneId === undefined ? {} : { timezoneId }),
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    return watch(context);
  };
};
