import { defineResource } from 'gatewright';
import { itemFields } from '../fields.ts';

export default defineResource('ToldItem', { fields: itemFields, events: true });
