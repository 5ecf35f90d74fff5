import { defineResource } from 'gatewright';
import { itemFields } from '../fields.ts';

/** Any caller with a token reads, creates and updates. */
export default defineResource('Item', { fields: itemFields });
