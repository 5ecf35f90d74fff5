import { describe, expectTypeOf, it } from 'vitest';
import type { ResourceShape, ShapeOf } from '../../client/shape.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { many } from '../../src/model/relation.ts';
import type { Scope } from '../../src/model/scope.ts';
import type { CreateOf, FilterOf, IdOf, RecordOf } from '../../src/model/types.ts';

const invoice = defineResource('Invoice', {
  key: 'uuid',
  fields: {
    amount: field.integer(),
    parent: field.reference('Invoice', { key: 'uuid' }),
    user_id: field.owner(),
  },
  relations: { receipts: many('Receipt', { by: 'invoice', write: true }) },
  hooks: {
    beforeCommit: ({ id, after }) => {
      expectTypeOf(id).toEqualTypeOf<string>();
      expectTypeOf(after?.id).toEqualTypeOf<string | undefined>();
    },
  },
});

const receipt = defineResource('Receipt', {
  fields: { invoice: field.reference('Invoice', { key: 'uuid', required: true }), note: field.string() },
  hooks: {
    afterCommit: ({ id }) => {
      expectTypeOf(id).toEqualTypeOf<number>();
    },
  },
});

const country = defineResource('Country', {
  key: 'text',
  fields: { name: field.string({ required: true }) },
});
const city = defineResource('City', {
  key: 'bigint',
  fields: { country: field.reference('Country', { key: 'text', required: true }) },
});
const entry = defineResource('Entry', { fields: { note: field.string() }, table: { external: true } });

/** Never run as well. */
const given = async ({ records }: Scope) => {
  const made = await records(country).create({ id: 'DE', name: 'Germany' });
  const place = await records(city).create({ country_id: made.id });
  await records(city).get(place.id);
  await records(entry).get(-7);
  // @ts-expect-error: the body gives the id
  await records(country).create({ name: 'Germany' });
  // @ts-expect-error: an id never changes
  await records(country).update('DE', { id: 'FR' });
  // @ts-expect-error: the database gives the id
  await records(city).create({ id: '1', country_id: 'DE' });
  // @ts-expect-error: the ids of cities are texts
  await records(city).get(1);
};

/** Never run: the compiler holds what it says. */
const uses = async ({ records }: Scope) => {
  const made = await records(invoice).create({ amount: 1 });
  await records(invoice).update(made.id, { parent_id: made.id });
  await records(invoice).remove('01980000-0000-7000-8000-000000000000');
  await records(receipt).update(3, { invoice_id: made.id });
  // @ts-expect-error: the ids of invoices are texts
  await records(invoice).get(1);
  // @ts-expect-error: the ids of receipts are numbers
  await records(receipt).get(made.id);
  // @ts-expect-error: a reference has the type of the ids behind it
  await records(receipt).create({ invoice_id: 1 });
  return { made, found: await records(receipt).get(1), named: await records('Receipt').get(1) };
};

describe('types of keys', () => {
  it('ids and references have the type of their key', () => {
    type Used = Awaited<ReturnType<typeof uses>>;
    expectTypeOf<IdOf<typeof invoice>>().toEqualTypeOf<string>();
    expectTypeOf<IdOf<typeof receipt>>().toEqualTypeOf<number>();
    expectTypeOf<Used['made']['id']>().toEqualTypeOf<string>();
    expectTypeOf<Used['made']['parent_id']>().toEqualTypeOf<string | null>();
    expectTypeOf<Used['made']['user_id']>().toEqualTypeOf<number | null>();
    expectTypeOf<Used['found']['invoice_id']>().toEqualTypeOf<string>();
    expectTypeOf<Used['named']['id']>().toEqualTypeOf<number>();
    expectTypeOf<RecordOf<typeof receipt>['id']>().toEqualTypeOf<number>();
    expectTypeOf<CreateOf<typeof receipt>['invoice_id']>().toEqualTypeOf<string>();
    expectTypeOf<{ readonly id: { gte: string } }>().toExtend<FilterOf<typeof invoice>>();
    expectTypeOf(uses).toBeFunction();
  });

  it('ids that callers give are part of new records', () => {
    expectTypeOf(given).toBeFunction();
    expectTypeOf<CreateOf<typeof country>>().toEqualTypeOf<{ id: string; name: string }>();
    expectTypeOf<IdOf<typeof city>>().toEqualTypeOf<string>();
    expectTypeOf<IdOf<typeof entry>>().toEqualTypeOf<number>();
    expectTypeOf<CreateOf<typeof city>>().toEqualTypeOf<{ country_id: string }>();
  });

  it('the shape of a model in a client has the type of its ids', () => {
    expectTypeOf<ShapeOf<typeof invoice>['id']>().toEqualTypeOf<string>();
    expectTypeOf<ShapeOf<typeof receipt>['id']>().toEqualTypeOf<number>();
    expectTypeOf<ShapeOf<typeof invoice>>().toExtend<ResourceShape>();
  });
});
