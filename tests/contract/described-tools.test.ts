import { fileURLToPath } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { describe, expect, it } from 'vitest';
import { createApplication, loadApplication } from '../../src/app/application.ts';
import { readConfig } from '../../src/app/config.ts';
import { describeApplication } from '../../src/app/describe.ts';
import { field } from '../../src/fields/define.ts';
import { type DescriptionArea, descriptionAreas } from '../../src/http/openapi/description-area.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { createProject } from '../client/typescript.ts';

/** The descriptions of the examples under other people's tools, in their own settings. */

const example = (name: string) =>
  loadApplication(fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)));

/** Parts of these have the same names in letters and digits, or differ in the case of letters only. */
const fields = { state: field.enum(['a', 'b']), state_filter: field.enum(['c', 'd']), title: field.string() };
const colliding = createApplication({
  resources: [
    defineResource('Order', { plural: 'orders', fields: { ...fields, buyer_id: field.reference('Buyer') } }),
    defineResource('OrderRelated', { plural: 'order_relateds', fields: { note: field.string() } }),
    defineResource('Buyer', { plural: 'buyers', fields: { first_name: field.string() } }),
    defineResource('BuyerRelated', {
      plural: 'buyer_relateds',
      fields: { first_name2: field.string(), order_id: field.reference('Order') },
    }),
    defineResource('OrderListItem', { plural: 'order_list_items', fields: { price: field.decimal() } }),
    defineResource('OrderState', { plural: 'order_states', fields: { filter: field.enum(['e']) } }),
    defineResource('OrderCreate', { plural: 'order_creates', fields }),
    defineResource('ORDER', { plural: 'upper_orders', singular: 'upper_order', fields }),
  ],
});

const applications = {
  newsroom: await example('newsroom'),
  shop: await example('shop'),
  teams: await example('teams'),
  colliding,
};

const describeIn = (name: keyof typeof applications, area?: DescriptionArea): Promise<JsonObject> =>
  describeApplication(applications[name], readConfig({ BASE_URL: 'https://api.shop.test' }), 'en', area);

const names = Object.keys(applications) as (keyof typeof applications)[];
const cases = names.flatMap((name) => descriptionAreas.map((area) => ({ name, area })));

type Sections = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

const componentsOf = (document: JsonObject): Sections => document['components'] as Sections;

describe('the API description', () => {
  it.each(cases)(
    'names components in letters and digits, unlike in more than case: $name, $area',
    async (each) => {
      const sections = componentsOf(await describeIn(each.name, each.area));
      for (const parts of Object.values(sections)) {
        const found = Object.keys(parts);
        expect(found.filter((name) => !/^[A-Za-z][A-Za-z0-9]*$/.test(name))).toEqual([]);
        expect(new Set(found.map((name) => name.toLowerCase())).size).toBe(found.length);
      }
    },
  );

  it('tells a model from what another model has of that name', async () => {
    const { schemas = {} } = componentsOf(await describeIn('colliding', 'api'));
    const keys = (name: string) => Object.keys((schemas[name]?.['properties'] ?? {}) as JsonObject);
    const related = Object.keys(schemas).filter((name) => name.startsWith('OrderRelated'));
    const [model, relation] = [
      ['id', 'note'],
      ['id', 'state', 'state_filter', 'title'],
    ];
    expect(related.some((name) => model.every((key) => keys(name).includes(key)))).toBe(true);
    expect(related.some((name) => relation.every((key) => keys(name).includes(key)))).toBe(true);
  });

  // `src/http/openapi/document.test.ts` demands more of both languages and of the administration area alone.
  it.each(cases.filter(({ area }) => area !== 'admin'))(
    'the API description is linted by redocly without a warning: $name, $area',
    async ({ name, area }) => {
      const source = JSON.stringify(await describeIn(name, area));
      const config = await createConfig({ extends: ['recommended'] });
      const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
      expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
    },
  );

  it.each(names)('says no default and no list of types where generators misread them: %s', async (name) => {
    const { schemas } = componentsOf(await describeIn(name));
    const text = JSON.stringify(schemas);
    expect(text).not.toMatch(/"default":(?!\{)/);
    expect(text.match(/"type":\["(?!null)\w+","(?!null)\w+"/g)).toBeNull();
  });

  it('lets openapi-typescript leave out what has a default, and what `fields` has not chosen', async () => {
    const project = await createProject();
    const ast = await openapiTypescript(JSON.stringify(await describeIn('newsroom', 'api')));
    await project.write('api.ts', astToString(ast));
    await project.write(
      'program.ts',
      `import type { components } from './api.ts';
      type Schemas = components['schemas'];
      export const order: Schemas['OrderCreate'] = { number: 'O-1', amount: 1 };
      export const paid: Schemas['OrderCreate'] = { number: 'O-1', amount: 1, status: 'paid' };
      export const chosen: Schemas['OrderListItem'] = { number: 'O-1' };
      // @ts-expect-error: the detail has every field
      export const detail: Schemas['Order'] = { number: 'O-1' };
      // @ts-expect-error: a required field without a default
      export const incomplete: Schemas['OrderCreate'] = { amount: 1 };`,
    );
    expect(await project.compile()).toBe('');
  });
});
