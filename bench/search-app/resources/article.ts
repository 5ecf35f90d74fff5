import { defineResource } from 'gatewright';
import { articleFields as fields } from '../fields.ts';

export default defineResource('Article', { fields, search: ['title', 'body'] });
