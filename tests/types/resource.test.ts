import { describe, expect, expectTypeOf, it } from 'vitest';
import { field } from '../../src/fields/define.ts';
import type { Json } from '../../src/kernel/json.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { DefinitionError } from '../../src/model/definition-error.ts';
import type { ResourceModel } from '../../src/model/resource.ts';
import type { CreateOf, RecordOf, UpdateOf } from '../../src/model/types.ts';

const order = defineResource('Order', {
  fields: {
    number: field.string({ required: true, unique: true }),
    amount: field.integer({ required: true, min: 0 }),
    price: field.decimal({ required: true, default: '0.00' }),
    status: field.enum(['pending', 'paid'], { default: 'pending' }),
    extra: field.json(),
    buyer: field.reference('User', { required: true }),
    user_id: field.owner(),
  },
  views: { list: ['id', 'number', 'buyer_id', 'created_at'] },
  restricted: ['status'],
  publicRead: { where: { status: 'paid' } },
  ownership: true,
  hooks: {
    beforeSave({ action, values, addError }) {
      expectTypeOf(action).toEqualTypeOf<'create' | 'update'>();
      expectTypeOf(values.amount).toEqualTypeOf<number | undefined>();
      expectTypeOf(values.price).toEqualTypeOf<string | number | undefined>();
      expectTypeOf(values.status).toEqualTypeOf<'pending' | 'paid' | null | undefined>();
      values.amount = 5;
      addError('buyer_id', 'no');
      // @ts-expect-error: no such field
      addError('buyer', 'no');
      // @ts-expect-error: no such value
      values.status = 'gone';
      // @ts-expect-error: no such field
      values.amuont = 5;
    },
    afterCommit({ action, id, record, values }) {
      expectTypeOf(action).toEqualTypeOf<'create' | 'update' | 'destroy'>();
      expectTypeOf(record.amount).toEqualTypeOf<number>();
      expectTypeOf(id).toEqualTypeOf<number>();
      expectTypeOf(values.number).toEqualTypeOf<string | undefined>();
    },
  },
});

describe('types of a model', () => {
  it('infers the record', () => {
    expectTypeOf<RecordOf<typeof order>>().toEqualTypeOf<{
      id: number;
      number: string;
      amount: number;
      price: string;
      status: 'pending' | 'paid' | null;
      extra: Json;
      buyer_id: number;
      user_id: number | null;
      created_at: string;
      updated_at: string;
    }>();
  });

  it('infers what create and update take', () => {
    expectTypeOf<{ number: string; amount: number; buyer_id: number }>().toExtend<CreateOf<typeof order>>();
    expectTypeOf<{ number: string; amount: number }>().not.toExtend<CreateOf<typeof order>>();
    expectTypeOf<{ price: number; status: null }>().toExtend<UpdateOf<typeof order>>();
    expectTypeOf<{ amount: null }>().not.toExtend<UpdateOf<typeof order>>();
  });

  it('a typed model is a plain model to the rest of the service', () => {
    expectTypeOf(order).toExtend<ResourceModel>();
    const models: readonly ResourceModel[] = [order];
    expect(models[0]?.path).toBe('orders');
  });

  it('a model does not compile with a wrong name', () => {
    const fields = { title: field.string(), author: field.reference('User'), live: field.boolean() };
    // @ts-expect-error: misspelt field in a view
    expect(() => defineResource('A', { fields, views: { list: ['titel'] } })).toThrow(DefinitionError);
    // @ts-expect-error: the field of a reference is author_id
    expect(() => defineResource('A', { fields, views: { detail: ['author'] } })).toThrow(DefinitionError);
    // @ts-expect-error: the service's own fields cannot be restricted
    expect(() => defineResource('A', { fields, restricted: ['id'] })).toThrow(DefinitionError);
    // @ts-expect-error: misspelt field in a rule
    expect(() => defineResource('A', { fields, publicRead: { where: { lve: true } } })).toThrow(
      DefinitionError,
    );
    // @ts-expect-error: value of another type
    expect(() => defineResource('A', { fields, publicRead: { where: { live: 'yes' } } })).toThrow(
      DefinitionError,
    );
    // @ts-expect-error: misspelt field in an index
    expect(() => defineResource('A', { fields, indexes: [['titel']] })).toThrow(DefinitionError);
    // @ts-expect-error: misspelt field in a unique set
    expect(() => defineResource('A', { fields, unique: [['title', 'author']] })).toThrow(DefinitionError);
    // @ts-expect-error: a set names a field
    expect(() => defineResource('A', { fields, unique: [[]] })).toThrow(DefinitionError);
    // A set of one is the field's own uniqueness.
    const single = defineResource('A', { fields, unique: [['author_id']] });
    expect([single.unique, single.fields.get('author_id')?.unique]).toEqual([[], true]);
    expect(defineResource('A', { fields: { user_id: field.owner({ unique: true }) } }).unique).toEqual([]);
    expect(defineResource('A', { fields, unique: [['title', 'author_id']] }).unique).toEqual([
      ['title', 'author_id'],
    ]);
    // @ts-expect-error: unknown method of authentication
    expect(() => defineResource('A', { fields, auth: ['password'] })).toThrow(DefinitionError);
    // @ts-expect-error: unknown action
    expect(() => defineResource('A', { fields, auth: { remove: ['jwt'] } })).toThrow(DefinitionError);
    // @ts-expect-error: unknown option of a resource
    expect(() => defineResource('A', { fields, isolate: true })).toThrow(DefinitionError);
  });

  it('a field does not compile with a wrong option', () => {
    // @ts-expect-error: misspelt option
    field.string({ required: true, maxx: 5 });
    // @ts-expect-error: an option of another type
    field.boolean({ min: 1 });
    // @ts-expect-error: default of another type
    field.integer({ default: 'five' });
    // @ts-expect-error: default that is not a choice
    field.enum(['a', 'b'], { default: 'c' });
    // @ts-expect-error: label for no choice
    field.enum(['a', 'b'], { labels: { c: 'C' } });
    // @ts-expect-error: misspelt option beside the choices
    field.enum(['a', 'b'], { requird: true });
    // @ts-expect-error: unique among whose records
    field.string({ unique: 'user' });
    // @ts-expect-error: a reference needs its model
    field.reference();
    // @ts-expect-error: no such way
    field.reference('User', { onDelete: 'delete' });
    // @ts-expect-error: a required reference never becomes null
    field.reference('User', { required: true, onDelete: 'null' });
    field.reference('User', { required: true, onDelete: 'cascade' });
    field.reference('User', { onDelete: 'null', index: true });
    field.reference('User', { shows: ['name', 'email'] });
    field.owner({ shows: ['username'] });
    // @ts-expect-error: no field that a reference can show
    field.reference('User', { shows: ['roles'] });
    // @ts-expect-error: only users are shown
    field.reference('Team', { shows: ['name'] });
    field.string({ label: { en: 'Title' } });
    // @ts-expect-error: whose a record is can be unknown, so the owner is never required
    field.owner({ required: true });
  });
});
