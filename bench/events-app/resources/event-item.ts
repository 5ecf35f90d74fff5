import { defineResource } from 'gatewright';
import { itemFields } from '../fields.ts';

export default defineResource('EventItem', { fields: itemFields, events: true });
