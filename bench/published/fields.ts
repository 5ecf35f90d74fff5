import { field } from 'gatewright';

/** A chat, as TrailBase measures it. */
export const roomFields = { name: field.string({ required: true, max: 100 }) };
export const membershipFields = { room: field.reference('Room', { required: true }), user_id: field.owner() };
export const messageFields = {
  room: field.reference('Room', { required: true }),
  data: field.text({ required: true, default: 'empty' }),
  user_id: field.owner(),
};

/** A post, as PocketBase measures it. */
export const postFields = {
  title: field.string({ required: true, max: 200 }),
  description: field.text({ required: true }),
  public: field.boolean({ default: false }),
  type: field.json({ required: true, default: [] }),
  user_id: field.owner(),
};

/** An artist of the Chinook database, as PostgREST measures it. */
export const artistFields = { name: field.string({ max: 120 }) };
