import { defineResource, field } from 'gatewright';
import { itemFields } from '../fields.ts';

export default defineResource('OwnedItem', {
  fields: { ...itemFields, user_id: field.owner() },
  isolation: true,
  ownership: true,
  events: true,
});
