import { defineJob, field } from 'gatewright';
import receipt from '../resources/receipt.ts';

export default defineJob({
  input: { item: field.integer({ required: true }) },
  handle: async ({ values, records }) => {
    await records(receipt).create({ item: values.item });
  },
});
