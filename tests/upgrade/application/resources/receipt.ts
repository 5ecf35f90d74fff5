import { defineResource, field } from 'gatewright';

/** The record that a job leaves behind. */
export default defineResource('Receipt', {
  fields: { item: field.integer({ required: true, index: true }) },
});
