import { defineResource } from 'gatewright';
import { roomFields } from '../fields.ts';

export default defineResource('Room', { fields: roomFields });
