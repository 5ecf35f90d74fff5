import { defineResource, member } from 'gatewright';
import { messageFields } from '../fields.ts';

/** Members of a room read and write its messages. */
export default defineResource('Message', {
  fields: messageFields,
  isolation: member('room_id', { of: 'Membership' }),
});
