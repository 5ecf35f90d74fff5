import { describe, expect, it } from 'vitest';
import { field } from '../fields/define.ts';
import { defineResource } from './define-resource.ts';
import { displayFields, displayName } from './display.ts';

describe('the name of a record', () => {
  const fields = { sku: field.string({ unique: true }), name: field.string(), size: field.integer() };

  it('the name of a record is a field called name or title, before the first text', () => {
    expect(defineResource('Product', { fields }).display).toBe('{name}');
    expect(defineResource('Book', { fields: { isbn: field.string(), title: field.string() } }).display).toBe(
      '{title}',
    );
    expect(defineResource('Part', { fields: { sku: fields.sku } }).display).toBe('{sku}');
    expect(defineResource('Reader', { fields: { size: fields.size, mail: field.email() } }).display).toBe(
      '{mail}',
    );
    expect(defineResource('Count', { fields: { size: fields.size } }).display).toBe(undefined);
    // A number of this name names nothing.
    expect(defineResource('Rank', { fields: { title: field.integer(), sku: fields.sku } }).display).toBe(
      '{sku}',
    );
  });

  it('the name of a record is the template of the model, filled with the values of the record', () => {
    const { display = '' } = defineResource('Item', { fields, display: '{name} · {size} ({sku})' });
    expect(displayFields(display)).toEqual(['name', 'size', 'sku']);
    expect(displayName(display, { name: 'Gift', size: 3, sku: 'G-3' })).toBe('Gift · 3 (G-3)');
    expect(displayName(display, { name: 'Gift', size: null })).toBe('Gift ·  ()');
    expect(displayName(display, { name: '', size: null })).toBe(undefined);
    // A value is no template.
    expect(displayName('{name}', { name: '{sku}', sku: 'G-3' })).toBe('{sku}');
  });

  it.each([
    ['no field', 'display names no field: write it as `{number} · {status}`'],
    ['{colour}', 'display names colour, which is not a field'],
    ['{data}', 'display cannot show a field of the type json'],
  ])('the name of a record refuses %s', (display, message) => {
    expect(() => defineResource('Item', { fields: { ...fields, data: field.json() }, display })).toThrow(
      message,
    );
  });
});
