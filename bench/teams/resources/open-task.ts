import { defineResource } from 'gatewright';
import { taskFields } from '../fields.ts';

/** Without a rule: what the others are compared with. */
export default defineResource('OpenTask', { fields: taskFields });
