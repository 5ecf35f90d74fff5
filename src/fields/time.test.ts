import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { catalogueOf } from '../kernel/messages/messages.ts';
import { defineResource } from '../model/define-resource.ts';
import { compileValidator } from '../model/validate.ts';
import { field } from './define.ts';
import { time } from './time.ts';

const shop = defineResource('Shop', { fields: { opens: field.time({ required: true, default: '09:00' }) } });

describe('time', () => {
  it.each([
    ['00:00', '00:00:00'],
    ['09:05:07', '09:05:07'],
    ['23:59:59', '23:59:59'],
  ])('%s is kept as %s', (sent, kept) => {
    expect(time.encode(sent, {})).toBe(kept);
    expect(time.parse(sent, {})).toBe(kept);
    const database = new DatabaseSync(':memory:');
    const row = database.prepare(`select json_object('at', ?) as json`).get(time.encode(sent, {}));
    expect(row?.['json']).toBe(`{"at":"${kept}"}`);
    database.close();
  });

  it.each([
    '24:00',
    '9:00',
    '12:60',
    '12:00:60',
    '12:00:00Z',
    '12:00:00.5',
    '',
    '12',
    '12:00\n',
    '１２:００',
  ])('refuses the time %j', (text) => {
    expect(time.parse(text, {})).toBeUndefined();
    expect(() => time.encode(text, {})).toThrow(TypeError);
  });

  it('says what is wrong in its own words, in every language', () => {
    const errors = (locale: 'zh-CN' | 'en') =>
      compileValidator(shop, catalogueOf(locale))({ opens: '25:00' }, 'create', shop.fields).errors;
    expect(errors('en')).toEqual([
      { field: 'opens', rule: 'time', message: 'Opens is not a valid time (HH:MM or HH:MM:SS)' },
    ]);
    expect(errors('zh-CN')[0]?.message).toBe('Opens 不是有效的时间（HH:MM 或 HH:MM:SS）');
    expect(compileValidator(shop, catalogueOf('en'))({}, 'create', shop.fields).columns).toEqual({
      opens: '09:00:00',
    });
    expect(() => defineResource('Shop', { fields: { opens: field.time({ default: 'noon' }) } })).toThrow(
      /opens: its default breaks the rule time/,
    );
  });
});
