import { defineResource, field } from 'gatewright';

/** A model that the application of before does not have. */
export default defineResource('Extra', {
  fields: { title: field.string({ required: true, max: 100 }) },
  permissions: 'all',
});
