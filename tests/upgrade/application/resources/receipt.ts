import { defineResource, field } from 'gatewright';

/** What a job leaves behind. */
export default defineResource('Receipt', {
  fields: { item: field.integer({ required: true, index: true }) },
});
