import { describe, expectTypeOf, it } from 'vitest';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { many } from '../../src/model/relation.ts';
import type { Scope } from '../../src/model/scope.ts';
import type { CreateOf, UpdateOf } from '../../src/model/types.ts';

const order = defineResource('Order', {
  fields: { number: field.string({ required: true }) },
  relations: { lines: many('OrderLine', { by: 'order', write: true }), notes: many('Note') },
});
const plain = defineResource('Plain', { fields: { name: field.string() } });

/** Never run: what is said here, the compiler holds. */
const uses = async ({ records }: Scope) => {
  await records(order).create({ number: 'A', lines: [{ quantity: 1 }] });
  await records(order).update(1, {
    lines: [
      { id: 3, quantity: 2 },
      { id: 4, _delete: true },
    ],
  });
  // @ts-expect-error: an id is a number or a text
  await records(order).update(1, { lines: [{ id: true }] });
  // @ts-expect-error: notes are not written within an order
  await records(order).update(1, { notes: [] });
  // @ts-expect-error: what an order needs it needs all the same
  await records(order).create({ lines: [] });
};

describe('bodies with records within', () => {
  it('bodies with records within are typed by the relations that are written', () => {
    expectTypeOf(uses).toBeFunction();
    expectTypeOf<keyof CreateOf<typeof order>>().toEqualTypeOf<'number' | 'lines'>();
    expectTypeOf<keyof UpdateOf<typeof plain>>().toEqualTypeOf<'name'>();
  });
});
