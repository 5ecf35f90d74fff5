import { defineResource } from 'gatewright';
import { itemFields } from '../fields.ts';

export default defineResource('HookedItem', { fields: itemFields, events: true });
