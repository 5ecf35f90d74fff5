import { defineResource } from 'gatewright';
import { taskFields } from '../fields.ts';

/** The baseline without a rule. */
export default defineResource('OpenTask', { fields: taskFields });
