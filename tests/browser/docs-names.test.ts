import { describe, expect, it } from 'vitest';
import { field } from '../../src/fields/define.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

const declare = defineEndpoint({
  method: 'POST',
  path: '/international_shipment_insurance_declarations/declared_jointly',
  summary: 'Declare international shipments that are insured jointly',
  input: {
    column_that_says_whether_shipments_were_insured1: field.boolean({ default: false }),
    state: field.enum(['a_rather_long_state_of_things_that_has_no_end', 'live'], {
      label: 'What the customer, who has ordered by telephone, has said of the state of things',
    }),
  },
  handle: () => ({}),
});

const id = 'post_international_shipment_insurance_declarations_declared_jointly';

/** Elements that need sideways scrolling, and methods that wrap. */
const flaws = `[
  ...[document.documentElement, ...document.querySelectorAll('.scroll')]
    .filter((each) => each.scrollWidth > each.clientWidth)
    .map((each) => each.className + ' is cut: ' + each.textContent.slice(0, 40)),
  ...[...document.querySelectorAll('main .verb')]
    .filter((each) => each.getClientRects().length > 1 || each.offsetHeight > 24)
    .map((each) => each.textContent + ' is broken'),
]`;

describe.skipIf(!hasBrowser)('the documentation page, with long names', () => {
  describeDatabase('sqlite', 'in a browser', (databases) => {
    const service = useService(databases, { application: { endpoints: [declare] }, env: { LOCALE: 'en' } });
    const open = useBrowser();

    it('shows its tables whole, on every screen and on paper', async () => {
      const { page } = await open();
      await page.goto(`${service.origin}/api-docs#/${id}`);
      await page.getByRole('heading', { level: 1, name: declare.summary as string }).waitFor();
      expect(await page.locator('td code', { hasText: /^column_that_says_\S+_insured1$/ }).count()).toBe(1);
      for (const media of ['screen', 'print'] as const) {
        await page.emulateMedia({ media });
        for (const width of [2560, 1280, 900, 700, 360]) {
          await page.setViewportSize({ width, height: 900 });
          expect([media, width, await page.evaluate(flaws)]).toEqual([media, width, []]);
        }
      }
    });
  });
});
