import { describe, expect, expectTypeOf, it } from 'vitest';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { collectModels, type Models } from '../../src/model/models.ts';
import { many } from '../../src/model/relation.ts';
import { allOf, equals, member, own, via } from '../../src/model/row-rule.ts';
import type { Scope } from '../../src/model/scope.ts';
import type { CreateOf, RecordOf, UpdateOf } from '../../src/model/types.ts';

/** Models that name one another by functions, as in files that import each other, in every option that names a model. */

const seat = defineResource('Seat', {
  fields: { order: field.reference((): { name: 'Order' } => order), user_id: field.owner() },
  // Seat is not in a circle of types with Tag, so the function needs no annotation.
  relations: { tags: many(() => tag, { by: 'seat' }) },
});
const order = defineResource('Order', {
  fields: {
    number: field.string({ required: true }),
    // Without the annotation each type would be inferred from the other.
    invoice: field.reference((): { name: 'Invoice' } => invoice),
  },
  relations: {
    invoices: many((): { name: 'Invoice' } => invoice, { by: 'order', write: true }),
    parts: many((): { name: 'Invoice' } => invoice, { through: (): { name: 'Tag' } => tag }),
  },
  isolation: member('id', { of: (): { name: 'Seat' } => seat, on: 'order_id' }),
  trash: true,
  manage: via('invoice', equals('total', '0.00'), { of: (): { name: 'Invoice' } => invoice }),
});
const invoice = defineResource('Invoice', {
  fields: {
    total: field.decimal({ scale: 2 }),
    order: field.reference((): { name: 'Order' } => order, { required: true }),
  },
  relations: { orders: many((): { name: 'Order' } => order, { by: 'invoice' }) },
  views: { when: [[member('order_id', { of: (): { name: 'Seat' } => seat }), ['total']]] },
  restricted: [
    {
      fields: ['total'],
      unless: via('order', equals('number', '1'), { of: (): { name: 'Order' } => order }),
    },
  ],
});
const tag = defineResource('Tag', {
  fields: {
    seat: field.reference('Seat'),
    order: field.reference('Order'),
    invoice: field.reference('Invoice'),
  },
});

/** The same models, which name one another by texts. */
const byText = [
  defineResource('Seat', {
    fields: { order: field.reference('Order'), user_id: field.owner() },
    relations: { tags: many('Tag', { by: 'seat' }) },
  }),
  defineResource('Order', {
    fields: { number: field.string({ required: true }), invoice: field.reference('Invoice') },
    relations: {
      invoices: many('Invoice', { by: 'order', write: true }),
      parts: many('Invoice', { through: 'Tag' }),
    },
    isolation: member('id', { of: 'Seat', on: 'order_id' }),
    trash: true,
    manage: via('invoice', equals('total', '0.00')),
  }),
  defineResource('Invoice', {
    fields: { total: field.decimal({ scale: 2 }), order: field.reference('Order', { required: true }) },
    relations: { orders: many('Order', { by: 'invoice' }) },
    views: { when: [[member('order_id', { of: 'Seat' }), ['total']]] },
    restricted: [{ fields: ['total'], unless: via('order', equals('number', '1')) }],
  }),
  tag,
];

/** Never run: what is said here, the compiler holds. */
const related = async (scope: Scope) =>
  scope.records(order, invoice, tag).list({ include: ['invoice', 'invoices.orders', 'parts'] });

/** The parts of models that follow from options that name models. */
const resolved = (models: Models) =>
  [...models.values()].map(({ name, fields, relations, rules, indexes }) => ({
    name,
    references: [...fields.values()].map(({ reference, options }) => [
      reference,
      'to' in options ? options.to : undefined,
    ]),
    relations,
    rules,
    indexes,
  }));

describe('models that name one another by functions', () => {
  it('models that name one another by functions have their own types, and those of each other', () => {
    expectTypeOf<RecordOf<typeof order>['invoice_id']>().toEqualTypeOf<number | null>();
    expectTypeOf<CreateOf<typeof invoice>['order_id']>().toEqualTypeOf<number>();
    type Listed = Awaited<ReturnType<typeof related>>[number];
    expectTypeOf<NonNullable<Listed['invoice']>['total']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<Listed['invoices'][number]['orders'][number]['number']>().toEqualTypeOf<string>();
    expectTypeOf<Listed['parts'][number]['order_id']>().toEqualTypeOf<number>();
    expectTypeOf<UpdateOf<typeof order>>().toHaveProperty('invoices');
    // @ts-expect-error the model has another name
    field.reference((): { name: 'Order' } => invoice);
    // @ts-expect-error the model has another name
    many((): { name: 'Order' } => invoice);
    // @ts-expect-error the model has another name
    member('id', { of: (): { name: 'Order' } => seat });
  });

  it('models that name one another by functions hold conditions to the fields of a model that the function returns as it is', () => {
    member('order_id', { of: () => seat, on: 'order_id' });
    // @ts-expect-error: no such field
    member('order_id', { of: () => seat, on: 'ordr_id' });
    // @ts-expect-error: no such field in a condition
    member('order_id', { of: () => seat, where: { role: 'owner' } });
    via('order', own(), { of: () => seat });
    // @ts-expect-error: the condition is none on seats
    via('order', equals('number', '1'), { of: () => seat });
  });

  it('models that name one another by functions are those that name one another by texts', () => {
    expect(resolved(collectModels([seat, order, invoice, tag]))).toEqual(resolved(collectModels(byText)));
    // In the other order, too.
    const reversed = resolved(collectModels([tag, invoice, order, seat]));
    expect(reversed).toEqual(resolved(collectModels(byText.toReversed())));
    expect(reversed.find(({ name }) => name === 'Order')?.relations.get('parts')).toMatchObject({
      model: 'Invoice',
      through: { model: 'Tag' },
    });
  });

  const nothing = () => ({}) as { name: 'Order' };
  const flawed = 'is named by a function that returns no model';

  it.each([
    ['Note.of_id: the reference', () => defineResource('Note', { fields: { of: field.reference(nothing) } })],
    [
      'Note: relations.orders',
      () =>
        defineResource('Note', { fields: { text: field.string() }, relations: { orders: many(nothing) } }),
    ],
    [
      'Note: relations.orders',
      () =>
        defineResource('Note', {
          fields: { text: field.string() },
          relations: { orders: many('Order', { through: nothing }) },
        }),
    ],
    [
      'Note: isolation.read.member',
      () =>
        defineResource('Note', {
          fields: { text: field.string() },
          isolation: member('id', { of: nothing }),
        }),
    ],
    [
      'Note: isolation.read.allOf.via',
      () =>
        defineResource('Note', {
          fields: { order: field.reference('Order') },
          isolation: allOf(via('order', equals('number', '1'), { of: nothing })),
        }),
    ],
  ])('models are refused where a function returns no model: %s', (place, define) => {
    expect(() => collectModels([...byText, define()])).toThrow(`${place} ${flawed}`);
  });

  it('models are refused where the application lacks the model', () => {
    expect(() => collectModels([order])).toThrow(
      'Order.invoice_id: it refers to Invoice, which is not a model',
    );
    const lonely = defineResource('Note', {
      fields: { text: field.string() },
      relations: { invoices: many(() => invoice) },
    });
    expect(() => collectModels([lonely])).toThrow('relations.invoices names Invoice, which is not a model');
    const other = defineResource('Note', {
      fields: { order: field.reference('Order') },
      isolation: via('order', own(), { of: () => seat }),
    });
    expect(() => collectModels([...byText, other])).toThrow(
      'says that order_id names Seat, and it names Order',
    );
  });

  it('name the users of the service', () => {
    const users = defineResource('Place', {
      fields: { user: field.reference((): { name: 'User' } => ({ name: 'User' })) },
    });
    expect(collectModels([users]).get('Place')?.fields.get('user_id')?.reference).toBe('User');
  });
});
