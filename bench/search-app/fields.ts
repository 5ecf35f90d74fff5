import { field } from 'gatewright';

export const articleFields = {
  title: field.string({ required: true, max: 200 }),
  body: field.text(),
  user_id: field.owner(),
};
