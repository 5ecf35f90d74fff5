import { describe, expect, it } from 'vitest';
import { field } from '../fields/define.ts';
import type { JsonObject } from '../kernel/json.ts';
import { defineResource } from './define-resource.ts';
import { type Access, describeModel } from './describe.ts';
import { inputSchema, outputSchema } from './schema.ts';

const order = defineResource('Order', {
  label: { 'zh-CN': '订单', en: 'Order' },
  icon: 'cart',
  menu: { 'zh-CN': '销售', en: 'Sales' },
  fields: {
    number: field.string({ required: true, unique: true }),
    amount: field.integer({ required: true, min: 0 }),
    total: field.decimal(),
    paid: field.boolean({ required: true }),
    status: field.enum(['pending', 'paid'], {
      default: 'pending',
      labels: { paid: { 'zh-CN': '已付', en: 'Paid' } },
      colors: { paid: 'green' },
      group: { 'zh-CN': '付款', en: 'Payment' },
    }),
    internal_note: field.text(),
    user_id: field.owner(),
    cost: field.integer(),
  },
  views: { list: ['id', 'number', 'status'], detail: ['id', 'number', 'amount', 'status', 'user_id'] },
});

const everything = new Set([...order.fields.keys()]);
const nothing: ReadonlySet<string> = new Set();
const { list, detail, saved } = order.views;
const full: Access = {
  list: { readable: list, writable: nothing },
  detail: { readable: detail, writable: nothing },
  create: { readable: saved, writable: everything },
  update: { readable: saved, writable: everything },
  destroy: { readable: saved, writable: everything },
};

const fieldsOf = (metadata: JsonObject): Record<string, JsonObject> =>
  Object.fromEntries((metadata['fields'] as JsonObject[]).map((one) => [String(one['name']), one]));

describe('schemas', () => {
  it('says what create takes', () => {
    expect(inputSchema(order, 'create', new Set(['number', 'status', 'total', 'id']), 'zh-CN')).toEqual({
      type: 'object',
      title: '订单',
      properties: {
        number: { title: 'Number', type: 'string', minLength: 1, maxLength: 255 },
        total: { title: 'Total', type: ['string', 'number', 'null'], format: 'decimal' },
        status: {
          title: 'Status',
          type: ['string', 'null'],
          oneOf: [
            { type: 'null', const: null, title: '—' },
            { const: 'pending', title: 'pending' },
            { const: 'paid', title: '已付' },
          ],
          default: 'pending',
        },
      },
      required: ['number'],
    });
  });

  it('requires nothing and presets nothing on update', () => {
    const schema = inputSchema(order, 'update', everything, 'en');
    expect(schema['required']).toBeUndefined();
    expect(JSON.stringify(schema)).not.toContain('"default"');
  });

  it('promises what an answer holds, in the order of the view', () => {
    expect(outputSchema(order, order.views.detail, 'en')).toEqual({
      type: 'object',
      title: 'Order',
      properties: {
        id: { title: 'Id', type: 'integer', readOnly: true },
        number: { title: 'Number', type: 'string' },
        amount: { title: 'Amount', type: 'integer' },
        status: {
          title: 'Status',
          type: ['string', 'null'],
          oneOf: [
            { type: 'null', const: null, title: '—' },
            { const: 'pending', title: 'pending' },
            { const: 'paid', title: 'Paid' },
          ],
        },
        user_id: { title: 'User', type: ['integer', 'null'] },
      },
      required: ['id', 'number', 'amount', 'status', 'user_id'],
    });
  });
});

describe('metadata', () => {
  it('describes each field for the caller', () => {
    const described = describeModel(order, full, [], 'en');
    expect(described).toMatchObject({ label: 'Order', plural_label: 'Orders', icon: 'cart', menu: 'Sales' });
    const fields = fieldsOf(described);
    expect(fields['status']).toEqual({
      name: 'status',
      label: 'Status',
      type: 'enum',
      required: false,
      unique: false,
      read_only: false,
      group: 'Payment',
      default: 'pending',
      choices: [
        { value: 'pending', label: 'pending' },
        { value: 'paid', label: 'Paid', color: 'green' },
      ],
      operators: ['eq', 'ne', 'in', 'null'],
      sortable: true,
      searchable: false,
      groupable: true,
      buckets: [],
      measures: [],
    });
    // The field is not in the list, so nothing can be asked by it.
    expect(fields['amount']).toMatchObject({
      bounds: { min: 0 },
      operators: [],
      sortable: false,
      groupable: false,
      measures: [],
    });
    expect(fields['total']).toMatchObject({ bounds: { digits: 15, scale: 2 } });
    expect(fields['user_id']).toMatchObject({ reference: 'User' });
    expect(fields['id']).toMatchObject({ read_only: true });
  });

  it('metadata is read-only where this caller writes nothing', () => {
    const reader: Access = { ...full, create: undefined, update: undefined };
    const metadata = describeModel(order, reader, [], 'en');
    for (const one of Object.values(fieldsOf(metadata))) expect(one['read_only']).toBe(true);
    expect(metadata['schemas']).toMatchObject({ create: { properties: {} }, update: { properties: {} } });
  });

  it('metadata does not name fields that the caller neither reads nor writes', () => {
    const writable = new Set(['number', 'amount', 'paid']);
    const clerk: Access = {
      ...full,
      create: { readable: saved, writable },
      update: { readable: saved, writable },
    };
    const metadata = describeModel(order, clerk, [], 'en');
    expect(JSON.stringify(metadata)).not.toMatch(/internal_note|cost/);
  });

  it('names what a caller writes only, where reads are refused', () => {
    const writable = new Set(['number', 'amount', 'paid', 'cost']);
    const refused = { list: undefined, detail: undefined, update: undefined, destroy: undefined };
    const writer: Access = { ...refused, create: { readable: ['id'], writable } };
    const metadata = describeModel(order, writer, [], 'en');
    expect(Object.keys(fieldsOf(metadata))).toEqual(['id', 'number', 'amount', 'paid', 'cost']);
    expect(metadata['schemas']).toMatchObject({
      create: { properties: { number: {}, amount: {}, paid: {}, cost: {} } },
      update: { properties: {} },
      read: { properties: {}, required: [] },
    });
    expect(JSON.stringify(metadata)).not.toMatch(/internal_note|status|user_id/);
  });

  it('gives the form what it cannot guess', () => {
    const metadata = describeModel(order, full, [], 'en');
    const create = (metadata['schemas'] as JsonObject)['create'] as JsonObject;
    const names = Object.keys(create['properties'] as JsonObject);
    expect(metadata['uiSchema']).toMatchObject({
      'ui:order': names,
      number: {},
      paid: { 'ui:widget': 'radio' },
      internal_note: { 'ui:widget': 'textarea', 'ui:emptyValue': null },
    });
  });

  it('passes endpoints and permissions on', () => {
    const endpoints = [
      { action: 'list', method: 'GET', path: '/api/v1/orders', authentication: ['jwt', 'api_key'] },
    ] as const;
    expect(describeModel(order, full, endpoints, 'zh-CN')).toMatchObject({
      model: 'Order',
      singular: 'order',
      plural: 'orders',
      label: '订单',
      endpoints,
      permissions: { list: true, detail: true, create: true, update: true, destroy: true },
    });
  });
});

describe('a required field that a caller may not write', () => {
  const fields = { title: field.string(), rank: field.integer({ required: true, label: 'Rank' }) };
  const writable = new Set(['title']);
  const seen = { readable: ['id', 'title'], writable: nothing };
  const viewer: Access = { ...full, list: seen, detail: seen, create: { readable: [], writable } };

  it('lets them create nothing, and the metadata says why', () => {
    const model = defineResource('Memo', { fields, restricted: ['rank'] });
    const metadata = describeModel(model, viewer, [], 'en');
    expect(metadata['permissions']).toMatchObject({ create: false, list: true });
    expect(metadata['reasons']).toEqual({
      create: 'Rank is required, has no default, and you cannot write it',
    });
    const chinese = describeModel(model, viewer, [], 'zh-CN');
    expect(chinese['reasons']).toEqual({ create: 'Rank 为必填项且没有默认值，而当前用户无权填写' });
  });

  it('a required field that a caller may not write is no hindrance with a default, or for callers who may write it', () => {
    const rank = field.integer({ required: true, default: 1 });
    const preset = defineResource('Memo', { fields: { ...fields, rank }, restricted: ['rank'] });
    const model = defineResource('Memo', { fields, restricted: ['rank'] });
    const administrator = { ...viewer, create: { readable: [], writable: new Set(['title', 'rank']) } };
    for (const metadata of [
      describeModel(preset, viewer, [], 'en'),
      describeModel(model, administrator, [], 'en'),
    ]) {
      expect(metadata['permissions']).toMatchObject({ create: true });
      expect(metadata).not.toHaveProperty('reasons');
    }
  });
});
