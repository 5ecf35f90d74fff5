import { type Fragment, identifier as named, sql } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import { always, column, source } from '../sources.ts';

/** Id of the key by which a request came; null for any other caller. */
const keyId = sql`(case when t."caller_kind" = 'api_key' then cast(t."caller_id" as bigint) end)`;

const revoked = (of: string): Fragment =>
  sql`(select r.${named(of)} from "gatewright_revoked_keys" r where r."key_id" = ${keyId})`;

const keyName = sql`coalesce((select k."name" from "api_keys" k where k."id" = ${keyId}), ${revoked('name')})`;

/** Refused requests; of those by key also what the key is, or was, and how it ended. */
export const refusalSource = source(
  'gatewright_refusals',
  named('gatewright_refusals'),
  [
    column('id', field.integer(always)),
    column('refused_at', field.datetime(always)),
    column('first_at', field.datetime(always)),
    column('refusals', field.integer(always)),
    column('caller_kind', field.string(always)),
    column('caller_id', field.string(always)),
    column('caller_name', field.string(always)),
    column('key_name', field.string(), { expression: () => keyName }),
    column('revoked_at', field.datetime(), { expression: () => revoked('revoked_at') }),
    column('revoked_by_kind', field.string(), { expression: () => revoked('actor_kind') }),
    column('revoked_by_id', field.string(), { expression: () => revoked('actor_id') }),
    column('revoked_by_name', field.string(), { expression: () => revoked('actor_name') }),
    column('method', field.string(always)),
    column('path', field.string(always)),
    column('status', field.integer(always)),
    column('code', field.integer(always)),
    column('address', field.string(always)),
  ],
  ['refused_at'],
);
export const refusalFields = Object.freeze([...refusalSource.columns.keys()]);
