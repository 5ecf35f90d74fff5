import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';

/** A field of every type. */
export const thing = defineResource('Thing', {
  fields: {
    name: field.string({ required: true }),
    body: field.text(),
    count: field.integer({ required: true, default: 1 }),
    size: field.number(),
    price: field.decimal({ required: true }),
    live: field.boolean(),
    day: field.date(),
    at: field.datetime(),
    state: field.enum(["it's", 'b']),
    extra: field.json(),
    mail: field.email(),
    site: field.url(),
    token: field.uuid(),
    buyer: field.reference('User', { required: true }),
    user_id: field.owner({ shows: ['name', 'email'] }),
  },
  views: {
    list: ['id', 'name', 'extra', 'price', 'live', 'buyer_id', 'state', 'created_at'],
    saved: ['id'],
  },
});
