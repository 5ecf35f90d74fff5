import { defineResource, field } from 'gatewright';

const states = ['new', 'sent', 'delivered'] as const;

export default defineResource('Parcel', {
  fields: {
    code: field.string({ required: true, unique: true }),
    state: field.enum(states, { required: true, default: 'new' }),
    internal_note: field.text(),
  },
  views: { detail: ['id', 'code', 'state', 'created_at', 'updated_at'] },
  events: true,
  hooks: {
    beforeCommit({ before, after, addError }) {
      if (before === undefined || after === undefined || before.state === after.state) return;
      if (states.indexOf(after.state) !== states.indexOf(before.state) + 1)
        addError('state', `A parcel does not go from ${before.state} to ${after.state}`);
    },
  },
});
