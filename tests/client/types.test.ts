import { describe, expectTypeOf, it } from 'vitest';
import { type Client, createClient, resource } from '../../client/index.ts';
import type { FieldDefinition, FilterOperator, OperatorsOf } from '../../src/fields/field.ts';
import type { FieldKind, fieldTypes } from '../../src/fields/registry.ts';
import type { resources } from './applications.ts';
import type { thing } from './thing.ts';

/** Checked by the compiler; never called. */
const typed = async (client: Client<typeof resources>) => {
  const page = await client.orders.list();
  expectTypeOf(page.items[0]).toEqualTypeOf<
    | {
        id: number;
        number: string;
        amount: number;
        status: 'pending' | 'paid' | 'cancelled' | null;
        created_at: string;
        readonly version?: number;
      }
    | undefined
  >();
  expectTypeOf((await client.orders.list({ fields: ['id', 'version'] })).items[0]?.version).toEqualTypeOf<
    number | undefined
  >();
  expectTypeOf((await client.orders.list({ fields: ['id', 'status'] })).items).toEqualTypeOf<
    { id: number; status: 'pending' | 'paid' | 'cancelled' | null }[]
  >();
  const order = await client.orders.get(1);
  expectTypeOf(order.internal_note).toEqualTypeOf<string | null>();
  expectTypeOf(order.user_id).toEqualTypeOf<number | null>();
  const saved = await client.orders.create({ number: 'A', amount: 1 });
  expectTypeOf(saved).toEqualTypeOf<{
    id: number;
    number: string;
    status: 'pending' | 'paid' | 'cancelled' | null;
  }>();
  for await (const { amount } of client.orders.each({ filter: { amount: { gte: 5 } }, fields: ['amount'] }))
    expectTypeOf(amount).toEqualTypeOf<number>();
  // A model without views shows all fields everywhere.
  expectTypeOf((await client.notes.list()).items[0]?.body).toEqualTypeOf<string | null | undefined>();

  await client.orders.list({
    filter: {
      id: { in: [1, 2] },
      number: { like: 'A', starts_with: 'A', eq: 'A' },
      amount: 5,
      status: { ne: 'paid' },
      created_at: { gte: '2026-01-01' },
    },
    sort: ['-created_at', 'number'],
    page: 1,
    per_page: 20,
  });
  // @ts-expect-error: detail shows it, the list does not
  page.items[0]?.internal_note;
  // @ts-expect-error: not among the fields that were asked for
  (await client.orders.list({ fields: ['id'] })).items[0]?.number;
  // @ts-expect-error: the answer to a creation is smaller
  saved.amount;
  // @ts-expect-error: no such field
  client.orders.list({ filter: { amuont: 5 } });
  // @ts-expect-error: a field that the list does not show
  client.orders.list({ filter: { internal_note: 'x' } });
  // @ts-expect-error: numbers are not searched
  client.orders.list({ filter: { amount: { like: '5' } } });
  // @ts-expect-error: choices have no order
  client.orders.list({ filter: { status: { gt: 'paid' } } });
  // @ts-expect-error: no such choice
  client.orders.list({ filter: { status: 'gone' } });
  // @ts-expect-error: a value of another type
  client.orders.list({ filter: { amount: { gte: '5' } } });
  // @ts-expect-error: a list of values
  client.orders.list({ filter: { status: { in: 'paid' } } });
  // @ts-expect-error: no such field
  client.orders.list({ sort: 'amuont' });
  // @ts-expect-error: a field that the list does not show
  client.orders.list({ fields: ['user_id'] });
  // @ts-expect-error: pages by cursor have no numbers
  client.orders.pages({ page: 2 });
  // @ts-expect-error: a number is missing
  client.orders.create({ amount: 1 });
  // @ts-expect-error: a required field is never null
  client.orders.update(1, { amount: null });
  // @ts-expect-error: no such resource
  client.order;
  // @ts-expect-error: keys have states, not any text
  client.apiKeys.list({ filter: { status: 'gone' } });
};

const typedGroups = async (client: Client<typeof resources>) => {
  const { items, total } = await client.orders.aggregate({
    group: ['status', 'created_at:day'],
    count: true,
    sum: ['amount'],
    avg: ['amount'],
    min: ['created_at'],
    max: ['amount'],
    filter: { amount: { gte: 5 } },
    sort: ['-sum_amount', 'created_at_day', 'count'],
    offset: '+08:00',
    per_page: 10,
  });
  expectTypeOf(total).toEqualTypeOf<number | undefined>();
  expectTypeOf(items).toEqualTypeOf<
    {
      status: 'pending' | 'paid' | 'cancelled' | null;
      created_at_day: string;
      count: number;
      sum_amount: number | string | null;
      avg_amount: number | null;
      min_created_at: string | null;
      max_amount: number | null;
    }[]
  >();
  expectTypeOf((await client.orders.aggregate({ count: true })).items).toEqualTypeOf<{ count: number }[]>();
  expectTypeOf((await client.orders.aggregate({ group: ['number'] })).items).toEqualTypeOf<
    { number: string }[]
  >();
  const things = createClient({ baseUrl: '', resources: { things: resource<typeof thing>('thing') } });
  const { items: priced } = await things.things.aggregate({ group: ['live', 'buyer_id'], sum: ['price'] });
  expectTypeOf(priced).toEqualTypeOf<
    { live: boolean | null; buyer_id: number; sum_price: string | null }[]
  >();
  // @ts-expect-error: the list does not show it
  client.orders.aggregate({ group: ['internal_note'] });
  // @ts-expect-error: a text has no spans of time
  client.orders.aggregate({ group: ['number:day'] });
  // @ts-expect-error: no such span
  client.orders.aggregate({ group: ['created_at:decade'] });
  // @ts-expect-error: a text has no sum
  client.orders.aggregate({ sum: ['number'] });
  // @ts-expect-error: choices have no order
  client.orders.aggregate({ max: ['status'] });
  // @ts-expect-error: ids are no quantities
  things.things.aggregate({ sum: ['buyer_id'] });
  // @ts-expect-error: JSON makes no groups
  things.things.aggregate({ group: ['extra'] });
  // @ts-expect-error: not among the keys of the answer
  client.orders.aggregate({ count: true, sort: 'status' });
  // @ts-expect-error: not computed
  client.orders.aggregate({ group: ['status'], sum: ['amount'], sort: '-avg_amount' });
};

const typedOperators = () => {
  const client = createClient({ baseUrl: '', resources: { things: resource<typeof thing>('thing') } });
  client.things.list({
    filter: { price: { gt: 5, lt: '9.99' }, live: true, state: { in: ['b'] }, buyer_id: 3 },
    sort: ['-price', 'state', 'live', 'buyer_id'],
  });
  client.things.list({ filter: { extra: { null: true }, created_at: { lte: '2026-12-31' } } });
  // @ts-expect-error: JSON is only there or not
  client.things.list({ filter: { extra: 'x' } });
  // @ts-expect-error: JSON has no order
  client.things.list({ sort: 'extra' });
  // @ts-expect-error: the field is called buyer_id
  client.things.list({ filter: { buyer: 3 } });
  // @ts-expect-error: ids are only equal or not
  client.things.list({ filter: { buyer_id: { gt: 3 } } });
  // @ts-expect-error: true and false are not listed
  client.things.list({ filter: { live: { in: [true] } } });
};

/** Operators of each type as its `define` promises them, and as the type has them. */
type Promised = {
  [Kind in FieldKind]: OperatorsOf<Extract<ReturnType<(typeof fieldTypes)[Kind]['define']>, FieldDefinition>>;
};
type Actual = { [Kind in FieldKind]: (typeof fieldTypes)[Kind]['operators'][number] & FilterOperator };

describe('types of the client', () => {
  it('types of the client know fields, operators and views', () => {
    expectTypeOf(typed).toBeFunction();
    expectTypeOf(typedOperators).toBeFunction();
    expectTypeOf(typedGroups).toBeFunction();
  });

  it('types of the client have the operators of the field types', () => {
    expectTypeOf<Promised>().toEqualTypeOf<Actual>();
  });
});
