import { describe, expectTypeOf, it } from 'vitest';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import type { Scope } from '../../src/model/scope.ts';
import { customer, order, orderLine, product } from '../contract/relations/market.ts';

interface Customer {
  id: number;
  name: string;
}
interface Product {
  id: number;
  name: string;
  price: string;
  public: boolean;
  user_id: number | null;
}
interface Line {
  id: number;
  order_id: number;
  product_id: number | null;
  quantity: number;
  created_at: string;
}
interface Order {
  id: number;
  number: string;
  customer_id: number | null;
  parent_id: number | null;
  user_id: number | null;
  created_at: string;
  updated_at: string;
}
type Flat<Type> = { [Key in keyof Type]: Type[Key] };
type Unknown = JsonObject & { readonly id: number };

/** Never run: what is said here, the compiler holds. */
const whole = async (scope: Scope) => {
  const orders = scope.records(order, customer, orderLine, product);
  const both = await orders.list({ include: ['customer', 'lines.product'], perPage: 5 });
  const chosen = await orders.get(1, {
    include: { customer: true, lines: ['quantity'], 'lines.product': ['price'], parent: ['number'] },
  });
  const { records } = await orders.page({ include: ['user', 'parent.parent.customer'] });
  const found = await orders.find(1, { include: ['lines'], lock: true });
  const made = await orders.create({ number: 'A' }, { include: ['customer'] });
  const changed = await orders.update(1, { number: 'B' }, { include: ['customer'], version: 3 });
  const all = await scope
    .asSystem('why')
    .records(order, customer)
    .get(1, { include: ['customer', 'user'] });
  const paths: ('customer' | 'lines')[] = [];
  const some = await orders.list({ include: paths, page: 1 });
  const none = await orders.list({ include: [], page: 1 });
  await orders.list({
    filter: {
      'customer.country': 'DE',
      'lines.product_id': { in: [1, 2] },
      'lines.product.price': { gt: 5 },
      'parent.parent.parent.number': { starts_with: 'A' },
      'user.username': { like: 'ann' },
      number: 'A',
    },
    sort: ['-customer.name', 'number', 'parent.customer.country'],
  });
  await orders.aggregate({ group: ['customer_id'], count: true, filter: { 'customer.country': 'DE' } });
  await orders.count({ filter: { 'lines.quantity': { gte: 2 } } });
  await scope
    .asSystem('why')
    .records(order, customer)
    .list({ filter: { 'customer.note': 'x' } });
  await orders.create({ number: 'A', lines: [{ quantity: 1, product_id: 2 }] });
  await orders.update(1, { lines: [{ quantity: 1 }, { id: 3, quantity: 4 }, { id: 4, _delete: true }] });
  await scope.records(order).create({ number: 'A', lines: [{ whatever: 1 }] });

  // @ts-expect-error: a line needs its quantity
  await orders.create({ number: 'A', lines: [{ product_id: 2 }] });
  // @ts-expect-error: a new order has no lines that are there
  await orders.create({ number: 'A', lines: [{ id: 2, quantity: 1 }] });
  // @ts-expect-error: not written within an order
  await orders.update(1, { customer: { name: 'x' } });
  // @ts-expect-error: no such relation
  await orders.list({ include: ['custmer'], page: 1 });
  // @ts-expect-error: no such relation behind it
  await orders.list({ include: ['lines.customer'], page: 1 });
  // @ts-expect-error: no such relation
  await orders.get(1, { include: { customer: true, line: true } });
  // @ts-expect-error: no such field
  await orders.get(1, { include: { lines: ['amount'] } });
  // @ts-expect-error: the detail view does not show it
  await orders.get(1, { include: { customer: ['note'] } });
  // @ts-expect-error: four relations
  await orders.get(1, { include: ['parent.parent.parent.parent'] });
  // @ts-expect-error: not included
  both[0]?.parent;
  // @ts-expect-error: not chosen
  chosen.lines[0]?.id;
  // @ts-expect-error: no such field
  await orders.list({ filter: { 'customer.county': 'DE' } });
  // @ts-expect-error: the detail view does not show it
  await orders.list({ filter: { 'customer.note': 'x' } });
  // @ts-expect-error: no such operator of a number
  await orders.list({ filter: { 'lines.quantity': { like: '5' } } });
  // @ts-expect-error: of many there is no order
  await orders.list({ sort: 'lines.quantity' });
  // @ts-expect-error: no such field
  await orders.list({ sort: '-customer.nam' });
  return { both, chosen, records, found, made, changed, all, some, none };
};

/** The records of a model that is not given are known, and no more. */
const byName = async (scope: Scope) => {
  const orders = scope.records(order);
  const found = await orders.get(1, { include: ['customer', 'lines.product', 'parent.lines'] });
  await orders.list({
    filter: { 'customer.country': 'DE', 'lines.product.price': 5 },
    sort: '-customer.name',
  });
  // @ts-expect-error: no such relation
  await orders.get(1, { include: ['custmer'] });
  // @ts-expect-error: no such relation
  await orders.get(1, { include: ['parent.line'] });
  // @ts-expect-error: no such relation
  await orders.list({ filter: { 'custmer.country': 'DE' } });
  // @ts-expect-error: of many there is no order
  await orders.list({ sort: 'lines.quantity' });
  const named = await scope.records('Order').get(1, { include: ['customer'] });
  return { found, named };
};

describe('types of relations in a scope', () => {
  it('types of relations in a scope are those of what is included', () => {
    type Used = Awaited<ReturnType<typeof whole>>;
    expectTypeOf<Used['both'][number]>().toEqualTypeOf<
      Flat<Order & { customer: Customer | null; lines: Flat<Line & { product: Product | null }>[] }>
    >();
    expectTypeOf<Used['chosen']>().toEqualTypeOf<
      Flat<
        Order & {
          customer: Customer | null;
          lines: { quantity: number; product: { price: string } | null }[];
          parent: { number: string } | null;
        }
      >
    >();
    type Page = Used['records'][number];
    expectTypeOf<NonNullable<Page['user']>['username']>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<Page['user']>>().not.toHaveProperty('disabled');
    expectTypeOf<
      NonNullable<NonNullable<Page['parent']>['parent']>['customer']
    >().toEqualTypeOf<Customer | null>();
    expectTypeOf<NonNullable<Used['found']>['lines']>().toEqualTypeOf<Line[]>();
    expectTypeOf<Used['made']>().toEqualTypeOf<Flat<Order & { customer: Customer | null }>>();
    expectTypeOf<Used['changed']>().toEqualTypeOf<Used['made']>();
    expectTypeOf<NonNullable<Used['all']['customer']>['note']>().toEqualTypeOf<string | null>();
    expectTypeOf<NonNullable<Used['all']['user']>['disabled']>().toEqualTypeOf<boolean>();
    expectTypeOf<Used['some']>().toEqualTypeOf<Order[]>();
    expectTypeOf<Used['none']>().toEqualTypeOf<Order[]>();
    expectTypeOf(whole).toBeFunction();
  });

  it('types of relations in a scope are records of JSON where their models are known by name only', () => {
    type Used = Awaited<ReturnType<typeof byName>>;
    expectTypeOf<Used['found']['customer']>().toEqualTypeOf<Unknown | null>();
    expectTypeOf<Used['found']['lines'][number]['product']>().toEqualTypeOf<Json>();
    expectTypeOf<NonNullable<Used['found']['parent']>['lines']>().toEqualTypeOf<Unknown[]>();
    expectTypeOf<Used['named']>().toEqualTypeOf<Unknown>();
    expectTypeOf(byName).toBeFunction();
  });
});
