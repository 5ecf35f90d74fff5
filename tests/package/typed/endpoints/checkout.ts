import {
  ConstraintError,
  defineEndpoint,
  type EndpointContext,
  field,
  Problem,
  type Scope,
  sql,
  versionOf,
} from 'gatewright';
import sendMail from '../jobs/send-mail.ts';
import { soldOut } from '../problems.ts';
import order from '../resources/order.ts';
import product from '../resources/product.ts';

/** A function of the application that takes a scope. */
export const stockOf = async (scope: Scope, id: number): Promise<number> =>
  (await scope.records(product).get(id)).stock;

const input = {
  product: field.integer({ required: true }),
  pieces: field.integer({ required: true, default: 1 }),
  note: field.text(),
} as const;

/** A handler that stands by itself. */
export const remember = ({ values, principal, requestId }: EndpointContext<typeof input>): string =>
  `${requestId} ${principal.kind} ${values.product} ${values.note ?? ''}`;

export default defineEndpoint({
  method: 'POST',
  path: '/checkout',
  input,
  output: order,
  status: 201,
  problems: [soldOut, 'conflict'],
  handle: async (context) => {
    const { values, transaction, asSystem, jobs, sql: statements, principal, signal, query } = context;
    const wanted: number = values.product;
    const pieces: number = values.pieces;
    const note: string | null | undefined = values.note;
    void [remember(context), note, signal.aborted, query.get('a'), principal.kind === 'user' && principal.id];
    const rows = await statements.all(sql<{ n: number }>`select ${wanted} as n`);
    const first: number | undefined = rows[0]?.n;
    try {
      return await transaction(async (scope) => {
        const found = await scope.records(product).get(wanted, { lock: true });
        if ((await stockOf(scope, wanted)) < pieces) throw soldOut({ left: found.stock });
        await scope
          .asSystem('stock')
          .records(product)
          .update(found.id, { cost: 1 }, { version: versionOf(found) });
        const made = await scope.records(order).create({ product_id: found.id, pieces });
        await scope.jobs.add(sendMail, { to: 'a@example.com', order: made.id }, { at: new Date() });
        return made;
      });
    } catch (error) {
      if (error instanceof ConstraintError) throw new Problem('conflict', { cause: error });
      if (error instanceof Problem && error.code === soldOut.code) void first;
      throw error;
    } finally {
      void [asSystem, jobs];
    }
  },
});

/** Code that must not compile; never called. */
export const wrong = async ({ records, transaction }: Scope) => {
  const orders = records(order);
  const [seen] = await orders.list({
    filter: { pieces: { gte: 2 }, state: 'open' },
    sort: ['-pieces', 'id'],
  });
  const page = await orders.page({ q: 'a', perPage: 5 });
  const total: number | undefined = page.total;
  const state: 'open' | 'paid' | undefined = seen?.state;
  void [total, state, await orders.find(1), transaction];
  const bought = await records(order, product).get(1, { include: { product: ['name'], user: true } });
  const name: string | undefined = bought.product?.name;
  const found = await records(order, product).list({ filter: { 'product.stock': 0 }, sort: '-product.name' });
  void [name, found, bought.user?.username];
  // @ts-expect-error: no such relation
  await orders.get(1, { include: ['prodcut'] });
  // @ts-expect-error: not chosen
  void bought.product?.stock;
  // @ts-expect-error: the detail view does not show the cost
  await records(order, product).list({ filter: { 'product.cost': 0 } });
  // @ts-expect-error: how many pieces?
  await orders.create({ product_id: 1 });
  // @ts-expect-error: no such field
  await orders.create({ product_id: 1, pieces: 1, peices: 1 });
  // @ts-expect-error: the field of a reference is product_id
  await orders.create({ product: 1, pieces: 1 });
  // @ts-expect-error: no such value
  await orders.update(1, { state: 'lost' });
  // @ts-expect-error: a number has no such operator
  await orders.list({ filter: { pieces: { like: '5' } } });
  // @ts-expect-error: no such field
  await orders.list({ filter: { peices: 5 } });
  // @ts-expect-error: no such order
  await orders.list({ sort: '-peices' });
  // @ts-expect-error: no such option
  await orders.list({ per_page: 5 });
  // @ts-expect-error: the detail view does not show the cost
  void (await records(product).get(1)).cost;
  // @ts-expect-error: it may not be there
  void (await orders.find(1)).id;
  // @ts-expect-error: there is no such problem
  throw new Problem('conflct');
};

const common = { method: 'GET', path: '/orders/last', output: order } as const;

export const refused = () => [
  // @ts-expect-error: what is answered is no order
  defineEndpoint({ ...common, handle: () => ({ id: 1 }) }),
  // @ts-expect-error: no such option
  defineEndpoint({ method: 'GET', path: '/a', atuh: [], handle: () => null }),
  // @ts-expect-error: no such method of authentication
  defineEndpoint({ method: 'GET', path: '/a', auth: ['password'], handle: () => null }),
  // @ts-expect-error: no such value
  defineEndpoint({ method: 'POST', path: '/a', input, handle: ({ values }) => values.prodcut }),
];
