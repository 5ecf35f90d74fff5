import { defineResource } from 'gatewright';
import { productFields } from '../fields.ts';

const all = [
  'id',
  'name',
  'description',
  'stock',
  'price',
  'rating',
  'active',
  'category',
  'released_at',
  'created_at',
  'updated_at',
] as const;

/** The model of the comparison: permissions are checked on every request, responses have all fields. */
export default defineResource('Product', {
  fields: productFields,
  permissions: 'all',
  views: { list: all, detail: all, saved: all },
});
