import { defineResource, field } from 'gatewright';

export default defineResource('Person', {
  plural: 'people',
  fields: { name: field.string({ required: true }) },
});
