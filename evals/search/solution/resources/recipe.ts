import { defineResource, field } from 'gatewright';

export default defineResource('Recipe', {
  fields: {
    title: field.string({ required: true }),
    steps: field.text(),
    cuisine: field.enum(['chinese', 'italian', 'other'], { default: 'other', index: true }),
  },
  search: ['title', 'steps'],
});
