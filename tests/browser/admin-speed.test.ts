import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { measurePage } from '../pages/measure.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { enter, hintSession, seed, site } from './admin-site.ts';

const dist = fileURLToPath(new URL('../../dist/admin/', import.meta.url));

/**
 * The bytes that a first list may cost, with gzip, fonts, data and headers included; and the bytes of the scripts of
 * any other page.
 */
const budget = 300_000;
const widestBudget = 400_000;

/** A script with everything that it imports before it runs. */
const closure = (names: readonly string[]): ReadonlySet<string> => {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    const code = readFileSync(`${dist}assets/${name}`, 'utf8');
    for (const [, imported] of code.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g))
      if (imported !== undefined) visit(imported);
  };
  for (const name of names) visit(name);
  return found;
};

const sizeOf = (names: ReadonlySet<string>, ending: '.gz' | '.br'): number =>
  [...names].reduce((sum, name) => sum + compressed(name, ending), 0);

/** The size as it is served: files too small to be compressed go out as they are. */
const compressed = (name: string, ending: string): number =>
  statSync(`${dist}assets/${name}${ending}`, { throwIfNoEntry: false })?.size ??
  statSync(`${dist}assets/${name}`).size;

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

describe('the built pages', () => {
  const html = readFileSync(`${dist}index.html`, 'utf8');
  const first = closure(
    [...html.matchAll(/(?:src|href)="\.\/assets\/([\w.-]+\.js)"/g)].map(([, name = '']) => name),
  );
  const scripts = readdirSync(`${dist}assets/`).filter((name) => name.endsWith('.js'));
  /** The scripts of some texts, one for each language. */
  const texts = (name: 'first' | 'pages'): readonly string[] =>
    scripts.filter((each) => new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(each));
  const page = (name: string): string => scripts.find((each) => each.startsWith(`${name}-`)) ?? name;

  it('the built pages begin with less than 300 KB of script, gzipped, the texts included', () => {
    // The page of lists is among the first scripts.
    const lists = texts('first').map((each) => closure([...first, each]));
    for (const list of lists)
      console.log(
        `gzip: ${sizeOf(first, '.gz')} bytes to the sign-in, ${sizeOf(list, '.gz')} to a list; ` +
          `brotli: ${sizeOf(first, '.br')} and ${sizeOf(list, '.br')}`,
      );
    expect(lists).toHaveLength(2);
    expect(first.size).toBeGreaterThan(0);
    for (const list of lists) expect(sizeOf(list, '.gz')).toBeLessThan(budget);
  });

  it('fetch plots, pages and the JSON editor when they are used', () => {
    for (const later of ['start', 'keys', 'permissions', 'explain', 'record-pages', 'json-input', 'palette'])
      expect([later, first.has(page(later)), scripts.includes(page(later))]).toEqual([later, false, true]);
  });

  it('the overview, and lists of what the service does, bring along no forms', () => {
    const groups = ['forms', 'people', 'access', 'records', 'work'].map(page);
    for (const name of ['start', 'watch'])
      expect([name, groups.filter((group) => closure([page(name)]).has(group))]).toEqual([name, []]);
  });

  it('no page costs more than that', () => {
    expect(texts('pages')).toHaveLength(2);
    for (const pageTexts of texts('pages'))
      for (const name of scripts)
        expect(sizeOf(closure([...first, pageTexts, name]), '.gz')).toBeLessThan(widestBudget);
  });
});

describeDatabase('sqlite', 'administration pages, timed', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 120_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
    }, 120_000);

    /** Milliseconds from the navigation until the element is there and the page has nothing left to do. */
    const interactive = async (page: Page, path: string, selector: string): Promise<number> => {
      await page.addInitScript(`(() => {
        const look = () => {
          if (document.querySelector(${JSON.stringify(selector)}) === null) requestAnimationFrame(look);
          else requestIdleCallback(() => { window.interactiveAt = performance.now(); });
        };
        requestAnimationFrame(look);
      })()`);
      await page.goto(`${service.origin}/admin${path}`);
      // The page's policy forbids to wait by a text that is evaluated in it.
      let at: number | undefined;
      const read = async () => {
        at = await page.evaluate<number | undefined>('window.interactiveAt');
        return at;
      };
      await expect.poll(read, { timeout: 20_000 }).toBeDefined();
      return at ?? Number.NaN;
    };

    it.each([
      ['books', 'reference'],
      ['tasks', 'two references'],
    ])(
      'administration pages load a first list with at most 300 KB, headers included, in at most 15 requests: %s, %s',
      async (path) => {
        const { page: signedIn } = await enter(open, service, root, '/');
        const { page: first } = await open({ fresh: true });
        const context = first.context();
        await context.addCookies(await signedIn.context().cookies());
        await hintSession(context);
        const files: string[] = [];
        const names: string[] = [];
        const { requests, bytes } = await measurePage(context, async (page) => {
          page.on('response', (response) => files.push(new URL(response.url()).pathname));
          await page.goto(`${service.origin}/admin/records/${path}`);
          await page.locator('main tbody tr').first().waitFor();
          await page.waitForLoadState('networkidle');
          await expect.poll(() => page.locator('main tbody .MuiSkeleton-root').count()).toBe(0);
          names.push(...(await page.locator('main tbody tr:first-child td a').allTextContents()));
        });
        console.log(`first list of ${path}: ${bytes} bytes in ${requests} requests: ${files.join(', ')}`);
        expect(names.filter((name) => name !== '' && !name.startsWith('#')).length).toBe(
          path === 'tasks' ? 3 : 2,
        );
        expect(files).toContainEqual(expect.stringMatching(/inter-.*\.woff2$/));
        expect(bytes).toBeLessThanOrEqual(budget);
        expect(requests).toBeLessThanOrEqual(15);
      },
    );

    it('administration pages are interactive within 1.5 s, with nothing in the cache', async () => {
      const { page: signedIn } = await enter(open, service, root, '/');
      const cookies = await signedIn.context().cookies();
      const times = { signIn: [] as number[], start: [] as number[], books: [] as number[] };
      for (let round = 0; round < 5; round += 1) {
        // Each in a browser context of its own: an empty cache.
        const { page: outside } = await open({ fresh: true });
        times.signIn.push(await interactive(outside, '/', 'input[name=username]'));
        await outside.context().close();
        for (const [name, path, selector] of [
          ['start', '/', 'main svg[role=img] rect'],
          ['books', '/records/books', 'main tbody tr'],
        ] as const) {
          const { page } = await open({ fresh: true });
          await page.context().addCookies(cookies);
          await hintSession(page);
          times[name].push(await interactive(page, path, selector));
          await page.context().close();
        }
      }
      const medians = Object.entries(times).map(([name, each]) => [name, Math.round(median(each))] as const);
      console.log(`interactive after: ${medians.map(([name, ms]) => `${name} ${ms} ms`).join(', ')}`);
      // 1,500 ms is the aim on a machine of one's own; tests share theirs with others.
      for (const [name, ms] of medians) expect([name, ms < 4500]).toEqual([name, true]);
    });
  });
});
