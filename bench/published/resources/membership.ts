import { defineResource } from 'gatewright';
import { membershipFields } from '../fields.ts';

export default defineResource('Membership', { fields: membershipFields, indexes: [['user_id', 'room_id']] });
