import { expect, expectTypeOf, it } from 'vitest';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { collectModels } from '../../src/model/models.ts';
import type { Scope } from '../../src/model/scope.ts';
import type { CreateOf, RecordOf } from '../../src/model/types.ts';

/** Models that name one another by functions, as in files that import each other. */

const order = defineResource('Order', {
  fields: {
    number: field.string({ required: true }),
    // Without the annotation each type would be inferred from the other.
    invoice: field.reference((): { name: 'Invoice' } => invoice),
  },
});
const invoice = defineResource('Invoice', {
  fields: {
    total: field.decimal({ scale: 2 }),
    order: field.reference((): { name: 'Order' } => order, { required: true }),
  },
});

/** Never run: what is said here, the compiler holds. */
const related = async (scope: Scope) => scope.records(order, invoice).list({ include: ['invoice'] });

it('have their own types, and those of each other', () => {
  expectTypeOf<RecordOf<typeof order>['invoice_id']>().toEqualTypeOf<number | null>();
  expectTypeOf<CreateOf<typeof invoice>['order_id']>().toEqualTypeOf<number>();
  type Listed = Awaited<ReturnType<typeof related>>[number];
  expectTypeOf<NonNullable<Listed['invoice']>['total']>().toEqualTypeOf<string | null>();
  // @ts-expect-error the model has another name
  field.reference((): { name: 'Order' } => invoice);
});

it('refer to each other once all models are known', () => {
  const models = collectModels([order, invoice]);
  const reference = (model: string, name: string) => models.get(model)?.fields.get(name)?.reference;
  expect([reference('Order', 'invoice_id'), reference('Invoice', 'order_id')]).toEqual(['Invoice', 'Order']);
  expect([...(models.get('Order')?.relations.keys() ?? [])]).toEqual(['invoice']);
  expect(models.get('Order')?.indexes).toContainEqual({ columns: ['invoice_id'], unique: false });
});

it('are refused where a function returns no model, or one that the application lacks', () => {
  const nothing = defineResource('Note', {
    fields: { of: field.reference(() => ({}) as { name: 'Order' }) },
  });
  expect(() => collectModels([nothing])).toThrow(
    'Note.of_id: the function of the reference returns no model',
  );
  expect(() => collectModels([order])).toThrow('Order.invoice_id: it refers to Invoice, which is no model');
  const users = defineResource('Seat', {
    fields: { user: field.reference((): { name: 'User' } => ({ name: 'User' })) },
  });
  expect(collectModels([users]).get('Seat')?.fields.get('user_id')?.reference).toBe('User');
});
