import { defineResource, field } from 'gatewright';

/** The records of the writers. Not unique on purpose: that a retry stores nothing twice is the service's doing. */
export default defineResource('Entry', {
  fields: {
    mark: field.string({ required: true, index: true, max: 64 }),
    value: field.integer({ required: true }),
  },
});
