import { defineResource, field } from 'gatewright';

export default defineResource('Person', {
  plural: 'people',
  fields: { first_name: field.string(), last_name: field.string() },
});
