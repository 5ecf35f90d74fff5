import { defineResource, field } from 'gatewright';

export default defineResource('Invoice', {
  fields: {
    number: field.string({ required: true, unique: true }),
    net: field.integer({ required: true, min: 0 }),
    rate: field.integer({ required: true, min: 0, max: 100 }),
    gross: field.integer(),
    sent: field.boolean({ required: true, default: false }),
  },
  hooks: {
    beforeCommit({ before, after, set, addError }) {
      if (after === undefined) return;
      if (before?.sent === true) addError('sent', 'A sent invoice does not change');
      set({ gross: Math.round((after.net * (100 + after.rate)) / 100) });
    },
  },
});
