import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import type { Operation } from '../support/docs-page.ts';
import { linkToken, type Mailbox } from '../support/mailbox.ts';
import type { Service, TestUser } from '../support/service.ts';

/** The data that samples of the documentation page name: records, keys, links of messages. */

export interface Place {
  readonly service: Service;
  readonly mailbox: Mailbox;
  readonly root: TestUser;
}

type Body = Readonly<Record<string, unknown>>;

/** The first records of each application, made in this order: samples name their ids. */
const firstRecords: Readonly<Record<string, readonly (readonly [path: string, body: Body])[]>> = {
  shop: [
    ['products', { product: { sku: 'TEA', name: 'Tea', price: 1, stock: 100 } }],
    ['customers', { customer: { name: 'Ann', email: 'ann@example.com', address: '1 Road' } }],
    ['checkout', { customer: 1, lines: [{ product: 1, quantity: 1 }] }],
  ],
  newsroom: [
    ['articles', { article: { title: 'First' } }],
    ['notes', { note: { title: 'First' } }],
    ['orders', { order: { number: 'first', amount: 1 } }],
  ],
  teams: [
    ['companies', { company: { name: 'Roofs' } }],
    ['tickets', { ticket: { company_id: 1, title: 'Leak', body: 'Water' } }],
    ['comments', { comment: { ticket_id: 1, body: 'We come' } }],
    ['articles', { article: { company_id: 1, title: 'First', body: 'First' } }],
  ],
};

export const makeFirstRecords = async (application: string, { service, root }: Place): Promise<void> => {
  for (const [path, body] of firstRecords[application] ?? [])
    await service.ok('POST', `/api/v1/${path}`, { token: root, body });
};

/** The token in the link of the message that a request causes. */
export const mailedToken = async (
  { service, mailbox }: Place,
  path: string,
  body: Body,
  token?: TestUser,
): Promise<string> => {
  const answer = await service.post(path, { body, token });
  expect([path, answer.status]).toEqual([path, expect.toSatisfy((status: number) => status < 300)]);
  // Notices without a link may come first.
  for (;;) {
    const message = await mailbox.next();
    if (message.text.includes('#')) return linkToken(message);
  }
};

/** A port on which nothing listens. */
export const unreachable = 'http://127.0.0.1:9/';

/** Secret of the payment provider of the shop, which signs forms. */
export const paySecret = 'provider-secret';

/** The header of the payment provider, which signs the form as the endpoint of the shop documents. */
export const signatureOfProvider = (id: string, body: string): Readonly<Record<string, string>> =>
  id === 'post_payment_callback'
    ? { 'X-Pay-Signature': createHmac('sha256', paySecret).update(body).digest('hex') }
    : {};

/** True if an operation changes what its caller is or has: each of these has a caller of its own. */
export const isAboutCaller = (path: string): boolean => /\/(auth|api_keys)(\/|$)/.test(path);

/** Values of the parts of a path: what a sample changes must be there. */
export const pathValues = async (
  { service }: Place,
  { id, path }: Operation,
  caller: TestUser,
): Promise<Record<string, string>> => {
  if (!path.includes('{')) return {};
  const make = async (collection: string, body: Body) => {
    const made = await service.ok<{ id: number }>('POST', `/api/v1/${collection}`, { token: caller, body });
    return { id: String(made.id) };
  };
  if (path.includes('/api_keys/')) return { id: String((await service.createKey(caller)).id) };
  if (id === 'restoreTicket') await service.delete('/api/v1/tickets/1', { token: caller });
  if (id === 'updateMembership') {
    // The only owner of a company stays one.
    const { email } = await service.createUser();
    return make('memberships', { membership: { company_id: 1, email } });
  }
  // An order that is cancelled can no longer be paid.
  if (id === 'post_orders_id_cancel')
    return make('checkout', { customer: 1, lines: [{ product: 1, quantity: 1 }] });
  if (path.includes('/webhooks/'))
    return make('webhooks', { webhook: { url: unreachable, models: ['Ticket'] } });
  return { id: '1' };
};

/** Undoes a sample: the next one has the same unique values, and no webhook sends anything to the address of the sample. */
export const undo = async (
  { service, root }: Place,
  { method, path }: Operation,
  text: string,
): Promise<void> => {
  const [, base = '', collection, part = ''] =
    /^(\/api\/v1|\/admin\/records)\/(?!api_keys|webhooks|auth|payment|checkout)(\w+)(\/batch|\/import|\/\{id\})?$/.exec(
      path,
    ) ?? [];
  const first = Object.values(firstRecords)
    .flat()
    .find(([name]) => name === collection);
  if (method === 'PATCH' && first !== undefined)
    await service.request('PATCH', `/api/v1/${collection}/1`, { token: root, body: first[1] });
  const webhooks = /^\/(?:api\/v1|admin)\/webhooks(?=$|\/\{id\}$)/.exec(path)?.[0];
  if (webhooks !== undefined && method !== 'GET')
    for (const { id } of await service.ok<{ id: number }[]>('GET', webhooks, { token: root }))
      await service.delete(`${webhooks}/${id}`, { token: root });
  if (method !== 'POST' || collection === undefined || part === '/{id}') return;
  const { data } = JSON.parse(text) as { data: { id: number } & { created: { id: number }[] } };
  if (part === '/import') {
    if (Number(data.created) === 0) return;
    const newest = `${base}/${collection}?sort=-id&page=1&per_page=1`;
    const [imported] = await service.ok<{ id: number }[]>('GET', newest, { token: root });
    await service.delete(`${base}/${collection}/${imported?.id}`, { token: root });
    return;
  }
  const made = part === '/batch' ? data.created : [data];
  for (const { id } of made) await service.delete(`${base}/${collection}/${id}`, { token: root });
};
