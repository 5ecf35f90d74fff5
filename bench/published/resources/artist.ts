import { defineResource } from 'gatewright';
import { artistFields } from '../fields.ts';

export default defineResource('Artist', { fields: artistFields });
