import { describe, expect, it } from 'vitest';
import { field } from '../../fields/define.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { defineResource } from '../define-resource.ts';
import { inputSchema } from '../schema.ts';
import { formSchema, uiSchemaOf } from './form.ts';

const thing = defineResource('Thing', {
  fields: {
    price: field.decimal({ required: true }),
    at: field.datetime(),
    size: field.enum(['s', 'm']),
    kind: field.enum(['a', 'b'], { required: true }),
    data: field.json({ default: { a: 1 } }),
    must: field.json({ required: true }),
  },
});

const all = new Set(thing.fields.keys());

const propertiesOf = (action: 'create' | 'update', known: ReadonlySet<string>): Record<string, JsonObject> =>
  formSchema(thing, inputSchema(thing, action, all, 'en'), known, 'en')['properties'] as Record<
    string,
    JsonObject
  >;

describe('schemas for forms', () => {
  it('schemas for forms name formats of JSON Schema only', () => {
    const { price, at } = propertiesOf('create', all);
    expect(price).toEqual({ title: 'Price', type: ['string', 'number'] });
    expect(at).toEqual({ title: 'At', type: ['string', 'null'], format: 'date-time' });
  });

  it('schemas for forms offer a form for each type of JSON value, and null where it is allowed', () => {
    const { data, must } = propertiesOf('create', all);
    const types = (schema: JsonObject | undefined) =>
      ((schema?.['anyOf'] ?? []) as JsonObject[]).map(
        ({ type, title }) => `${String(title)}: ${String(type)}`,
      );
    const values = ['Object: object', 'List: array', 'Text: string', 'Number: number', 'Yes or no: boolean'];
    expect(types(data)).toEqual(['—: null', ...values]);
    expect(types(must)).toEqual(values);
    expect([data?.['default'], data?.['type'], must?.['default']]).toEqual([{ a: 1 }, undefined, undefined]);
  });

  it('preselect no choice where the stored one cannot be known', () => {
    const seen = propertiesOf('update', all);
    expect(seen['kind']).toHaveProperty('oneOf');
    const { kind, size } = propertiesOf('update', new Set());
    expect(kind).toEqual({ title: 'Kind', type: 'string', enum: ['a', 'b'] });
    expect(size).toEqual({ title: 'Size', type: ['string', 'null'], enum: [null, 's', 'm'] });
  });

  it('schemas for forms clear to null what is optional', () => {
    const ui = uiSchemaOf([...thing.fields.values()], 'en');
    expect(ui['at']).toMatchObject({ 'ui:widget': 'text', 'ui:emptyValue': null });
    expect(ui['kind']).toEqual({});
  });
});
