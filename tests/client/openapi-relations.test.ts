import openapiTypescript, { astToString } from 'openapi-typescript';
import { expect, it } from 'vitest';
import { migrations, resources } from '../contract/relations/market.ts';
import { describeDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';
import { createProject } from './typescript.ts';

/** Records that lead to each other in circles, as a client reads them that is made of the description alone. */
const program = `
import createClient from 'openapi-fetch';
import type { paths } from './api.ts';

export const countries = async () => {
  const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:1' });
  const { data } = await client.GET('/api/v1/orders/{id}', {
    params: { path: { id: 1 }, query: { include: 'customer.orders,lines.product', 'fields[lines]': 'id' } },
  });
  const order = data?.data;
  const country: string | null | undefined = order?.customer?.country;
  const price: string | undefined = order?.lines?.[0]?.product?.price;
  const back: number | undefined = order?.customer?.orders?.[0]?.lines?.[0]?.order?.id;
  // @ts-expect-error: no such relation
  const misspelt = order?.line;
  // @ts-expect-error: a field that no view has
  const hidden = order?.customer?.note;
  return { country, price, back, misspelt, hidden };
};
`;

describeDatabase('sqlite', 'openapi-typescript and relations', (databases) => {
  const service = useService(databases, { application: { resources, migrations } });

  it('makes types that follow them as far as somebody asks', async () => {
    const description = await fetch(`${service.origin}/api-docs/openapi.json`);
    const project = await createProject();
    const ast = await openapiTypescript(await description.text());
    await project.write('api.ts', astToString(ast));
    await project.write('program.ts', program);
    expect(await project.compile()).toBe('');
  });

  it('shows messages in which everything is filled in', async () => {
    const description = await (await fetch(`${service.origin}/api-docs/openapi.json`)).text();
    expect(description).toContain('"cascade_too_large"');
    expect(description.match(/"message":"[^"]*\{[a-z]+\}[^"]*"/g)).toBeNull();
  });
});
