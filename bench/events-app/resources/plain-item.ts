import { defineResource } from 'gatewright';
import { itemFields } from '../fields.ts';

export default defineResource('PlainItem', { fields: itemFields });
