import { defineResource, field } from 'gatewright';

export default defineResource('Team', { fields: { name: field.string({ required: true, max: 100 }) } });
