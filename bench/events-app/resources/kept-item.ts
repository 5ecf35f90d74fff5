import { defineResource } from 'gatewright';
import { itemFields } from '../fields.ts';

export default defineResource('KeptItem', { fields: itemFields, history: true });
