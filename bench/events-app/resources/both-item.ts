import { defineResource } from 'gatewright';
import { itemFields } from '../fields.ts';

export default defineResource('BothItem', { fields: itemFields, events: true, history: true });
