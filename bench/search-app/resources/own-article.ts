import { defineResource } from 'gatewright';
import { articleFields as fields } from '../fields.ts';

/** Callers read their own records: one in 32. */
export default defineResource('OwnArticle', {
  fields,
  search: ['title', 'body'],
  ownership: true,
  isolation: true,
});
