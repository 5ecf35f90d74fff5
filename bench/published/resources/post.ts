import { defineResource } from 'gatewright';
import { postFields } from '../fields.ts';

export default defineResource('Post', { fields: postFields });
