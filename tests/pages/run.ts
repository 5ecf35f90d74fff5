import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { executablePath } from '../support/chromium.ts';
import { restedPage } from '../support/rested-page.ts';
import { ensureBuilt, root } from '../tour/service.ts';
import { measurePage, measureScroll, type PageCost } from './measure.ts';
import { administrator, openShop, type Shop } from './shop.ts';

/**
 * `npm run pages [-- --at=FOLDER] [--rounds=3]`: what the first visit of twelve pages costs and how a list of 100 rows
 * scrolls, in the checkout at FOLDER (built; this one unless given), as tables. `--page=NAME`, once or more: those pages.
 * `npm run pages -- --pictures=FOLDER [--at=FOLDER]`: a picture of each page instead, for each `--language`, `--theme` and
 * `--width`, which can be given several times.
 */
const { values: options } = parseArgs({
  options: {
    at: { type: 'string', default: root },
    rounds: { type: 'string', default: '3' },
    page: { type: 'string', multiple: true, default: [] },
    pictures: { type: 'string' },
    language: { type: 'string', multiple: true, default: ['en'] },
    theme: { type: 'string', multiple: true, default: ['light'] },
    width: { type: 'string', multiple: true, default: ['1280'] },
  },
});

interface Look {
  readonly language: string;
  readonly theme: string;
  readonly width: number;
}

const usual: Look = { language: 'en', theme: 'light', width: 1280 };

/** Stands where something has not arrived yet. */
const waiting = '[role=progressbar], .MuiSkeleton-root';

/** Resolves once no response, no frame and no change is under way; works with pages of every version. */
const rested = async (page: Page): Promise<void> => {
  do {
    await page.waitForLoadState('networkidle');
    await page.evaluate(restedPage);
  } while ((await page.locator(waiting).count()) > 0);
};

/** Creates a key, as a person does: the page that shows it has no address. */
const createKey = async (page: Page): Promise<void> => {
  await page.getByRole('textbox', { name: /Name|名称/ }).fill('nightly report');
  await page.locator('form button[type=submit]').click();
  await page.getByText('nightly report').first().waitFor();
};

interface Visited {
  readonly name: string;
  readonly path: string;
  readonly act?: (page: Page) => Promise<void>;
  /** Looked at by a visitor who has not signed in. */
  readonly outside?: true;
}

const explained = '/explain?user_id=4&method=PATCH&path=%2Fapi%2Fv1%2Forders%2F1';

const everyPage: readonly Visited[] = [
  { name: 'sign-in', path: '/admin/', outside: true },
  { name: 'start', path: '/admin/' },
  { name: 'list', path: '/admin/records/orders' },
  { name: 'record', path: '/admin/records/orders/1/show' },
  { name: 'form', path: '/admin/records/orders/1' },
  { name: 'permissions', path: '/admin/permissions' },
  { name: 'explain', path: `/admin${explained}` },
  { name: 'key created', path: '/admin/api_keys/create?user_id=4', act: createKey },
  { name: 'webhook', path: '/admin/webhooks/2/show' },
  { name: 'jobs', path: '/admin/jobs' },
  { name: 'audit log', path: '/admin/audit' },
  { name: 'documentation', path: '/api-docs#/createOrder', outside: true },
];

const pages = everyPage.filter(({ name }) => options.page.length === 0 || options.page.includes(name));

/** A list of 100 rows. */
const longList = `/admin/records/products?${new URLSearchParams({
  ...{ filter: '{}', sort: 'id', order: 'ASC', page: '1', perPage: '100' },
})}`;

const newContext = async (
  browser: Browser,
  cookies: Cookies,
  { language, theme, width }: Look,
  outside = false,
): Promise<BrowserContext> => {
  const context = await browser.newContext({
    locale: language,
    colorScheme: theme === 'dark' ? 'dark' : 'light',
    viewport: { width, height: width < 600 ? 780 : 860 },
  });
  await context.addInitScript(
    `localStorage['RaStoregatewright.locale'] ??= ${JSON.stringify(JSON.stringify(language))};
     localStorage['RaStoregatewright.version'] ??= ${JSON.stringify(JSON.stringify('1'))};`,
  );
  if (!outside) {
    await context.addCookies(cookies);
    await context.addInitScript(`localStorage['gatewright.session'] ??= '1'`);
  }
  return context;
};

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

const signIn = async (browser: Browser, { origin }: Shop): Promise<Cookies> => {
  const context = await browser.newContext();
  await context.request.post(`${origin}/admin/session`, { data: administrator });
  const cookies = await context.cookies();
  await context.close();
  return cookies;
};

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

const medianCost = (costs: readonly PageCost[]): PageCost => {
  const of = (name: keyof PageCost): number => median(costs.map((cost) => cost[name]));
  return {
    requests: of('requests'),
    bytes: of('bytes'),
    scriptMs: of('scriptMs'),
    taskMs: of('taskMs'),
    shift: of('shift'),
  };
};

const open = async (page: Page, { origin }: Shop, { path, act }: Visited): Promise<void> => {
  await page.goto(origin + path);
  await page.locator('h1, h2').filter({ visible: true }).first().waitFor();
  await rested(page);
  if (act === undefined) return;
  await act(page);
  await rested(page);
};

const measureAll = async (browser: Browser, shop: Shop, cookies: Cookies): Promise<void> => {
  console.log(
    '| page | requests | bytes | script | thread | layout shift |\n| --- | --- | --- | --- | --- | --- |',
  );
  for (const visited of pages) {
    const costs: PageCost[] = [];
    for (let round = 0; round < Number(options.rounds); round += 1) {
      const context = await newContext(browser, cookies, usual, visited.outside);
      costs.push(await measurePage(context, (page) => open(page, shop, visited)));
      await context.close();
    }
    const { requests, bytes, scriptMs, taskMs, shift } = medianCost(costs);
    console.log(
      `| ${visited.name} | ${requests} | ${bytes} | ${Math.round(scriptMs)} ms | ${Math.round(taskMs)} ms | ${shift.toFixed(3)} |`,
    );
  }
};

const measureScrolling = async (browser: Browser, shop: Shop, cookies: Cookies): Promise<void> => {
  const context = await newContext(browser, cookies, usual);
  const page = await context.newPage();
  await open(page, shop, { name: 'long list', path: longList });
  await page.locator('tbody tr:nth-child(100)').waitFor();
  // The first time a browser compiles what it runs later.
  await measureScroll(browser, page);
  const { frames, inTime, msPerFrame, longestTaskMs } = await measureScroll(browser, page);
  console.log(
    `\nscrolling 100 rows: ${frames} frames, ${(inTime * 100).toFixed(1)} % in time, ` +
      `${msPerFrame.toFixed(1)} ms of the page's thread a frame, longest task ${longestTaskMs.toFixed(1)} ms`,
  );
  await context.close();
};

const keepPictures = async (
  browser: Browser,
  shop: Shop,
  cookies: Cookies,
  folder: string,
): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const looks = options.language.flatMap((language) =>
    options.theme.flatMap((theme) =>
      options.width.map((width): Look => ({ language, theme, width: Number(width) })),
    ),
  );
  for (const look of looks)
    for (const visited of pages) {
      const context = await newContext(browser, cookies, look, visited.outside);
      const page = await context.newPage();
      await open(page, shop, visited);
      const words = [visited.name.replace(' ', '-'), look.language, look.theme, look.width];
      await page.screenshot({ path: join(folder, `${words.join('-')}.png`) });
      await context.close();
    }
};

const checkout = resolve(options.at);
if (checkout === resolve(root)) await ensureBuilt();
await using shop = await openShop(checkout);
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const cookies = await signIn(browser, shop);
  if (options.pictures === undefined) {
    await measureAll(browser, shop, cookies);
    await measureScrolling(browser, shop, cookies);
  } else await keepPictures(browser, shop, cookies, resolve(options.pictures));
} finally {
  await browser.close();
}
