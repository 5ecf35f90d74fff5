import { defineJob, field } from 'gatewright';

/** Nothing that the application of before could run. */
export default defineJob({ input: { item: field.integer({ required: true }) }, handle: async () => {} });
