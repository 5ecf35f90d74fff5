import { defineResource, field } from 'gatewright';
import { isOwner } from '../rules.ts';
import { ofClinic } from '../tenant.ts';

/** A treatment with its price, which is exact: a decimal, not a float. */
export default defineResource('Treatment', {
  label: { en: 'Treatment', de: 'Behandlung' },
  icon: 'list',
  fields: {
    ...ofClinic,
    name: field.string({ required: true, max: 80, label: { en: 'Name', de: 'Name' } }),
    price: field.decimal({ required: true, min: 0, label: { en: 'Price', de: 'Preis' } }),
  },
  auth: ['jwt', 'api_key'],
  isolation: { read: 'everyone', write: isOwner },
});
