import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { expect, it } from 'vitest';
import { describeDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';
import { newsroom } from './applications.ts';
import { createProject } from './typescript.ts';

/** A program of a developer who has the API description only; returns what it saw. */
const program = `
import createClient from 'openapi-fetch';
import type { paths } from './api.ts';

const must = <Body>({ data, error }: { data?: Body; error?: unknown }): Body => {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
};

export const run = async (baseUrl: string, account: string, password: string) => {
  const client = createClient<paths>({ baseUrl });
  const login = must(await client.POST('/api/v1/auth/login', { body: { account, password } }));
  client.use({
    onRequest: ({ request }) => {
      request.headers.set('Authorization', \`Bearer \${login.data.token}\`);
      return request;
    },
  });
  const created = must(
    await client.POST('/api/v1/orders', { body: { order: { number: 'O-1', amount: 1250, status: 'paid' } } }),
  );
  const id: number = created.data.id;
  const list = must(
    await client.GET('/api/v1/orders', {
      params: { query: { 'filter[amount]': { gte: 1000 }, 'filter[status]': 'paid', sort: '-created_at', per_page: 5 } },
    }),
  );
  // The parameter "fields" chooses which fields a list has.
  const numbers: (string | undefined)[] = list.data.map(({ number }) => number);
  const detail = await client.GET('/api/v1/orders/{id}', { params: { path: { id } } });
  const order = must(detail).data;
  const etag = detail.response.headers.get('etag') ?? '';
  const change = { params: { path: { id }, header: { 'If-Match': etag } }, body: { order: { amount: 1 } } };
  must(await client.PATCH('/api/v1/orders/{id}', change));
  const stale = await client.PATCH('/api/v1/orders/{id}', change);
  const invalid = await client.POST('/api/v1/orders', { body: { order: { number: 'O-2', amount: -1 } } });
  // A choice that may be missing is one of its values or null, and no other text.
  const status: 'pending' | 'paid' | 'cancelled' | null = order.status;
  // @ts-expect-error: no such status
  const misspelt = () => client.PATCH('/api/v1/orders/{id}', { ...change, body: { order: { status: 'payd' } } });
  // @ts-expect-error: a required field is missing
  const incomplete = () => client.POST('/api/v1/orders', { body: { order: { amount: 1 } } });
  // @ts-expect-error: no such filter
  const unknown = () => client.GET('/api/v1/orders', { params: { query: { 'filter[amuont]': 1 } } });
  must(await client.DELETE('/api/v1/orders/{id}', { params: { path: { id } } }));
  return { numbers, note: order.internal_note, stale: stale.error?.code, invalid: invalid.error, incomplete, unknown, misspelt, status };
};
`;

describeDatabase('sqlite', 'openapi-typescript and openapi-fetch', (databases) => {
  const service = useService(databases, { application: newsroom, env: { LOCALE: 'en' } });

  it('openapi-typescript and openapi-fetch make a client that compiles and works', async () => {
    const description = await fetch(`${service.origin}/api-docs/openapi.json`);
    const project = await createProject();
    const ast = await openapiTypescript(await description.text());
    await project.write('api.ts', astToString(ast));
    await project.write('program.ts', program);
    expect(await project.compile()).toBe('');

    const { run } = await import(pathToFileURL(join(project.directory, 'program.ts')).href);
    const { username, password } = await service.admin();
    expect(await run(service.origin, username, password)).toMatchObject({
      numbers: ['O-1'],
      note: null,
      status: 'paid',
      stale: 41200,
      invalid: { code: 42200, data: { errors: [{ field: 'amount', rule: 'minimum' }] } },
    });
  });
});
