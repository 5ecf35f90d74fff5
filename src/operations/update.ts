import type { JsonObject } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { Grant } from '../policy/grant.ts';
import type { SavedRecord } from '../store/records/records.ts';
import { afterCommit } from './after-commit.ts';
import { refusal } from './constraint.ts';
import { acceptedVersions } from './preconditions.ts';
import { prepareWrite } from './prepare.ts';
import type { ServedResource } from './served-resource.ts';
import type { SharedTransaction } from './transaction.ts';

/** Says why a write found no record: none there for this caller (404), or another version (412). */
export const refuseMissing = async (
  { records }: ServedResource,
  grant: Grant,
  id: number,
  shared?: SharedTransaction,
): Promise<never> => {
  const version = await records.version(grant, id, shared?.transaction);
  throw new Problem(version === undefined ? 'record_not_found' : 'stale');
};

/** Refuses with 404 or 412 where these come before what is wrong with the body. */
const checkTarget = async (
  { records }: ServedResource,
  grant: Grant,
  id: number,
  versions: readonly number[] | undefined,
  shared: SharedTransaction | undefined,
): Promise<void> => {
  const version = await records.version(grant, id, shared?.transaction);
  if (version === undefined) throw new Problem('record_not_found');
  if (versions !== undefined && !versions.includes(version)) throw new Problem('stale');
};

/**
 * Changes the fields that were sent, on its own or in a transaction with other operations. The version that `If-Match`
 * names is compared in the statement that writes.
 * @throws Problem `record_not_found`, `stale`, `invalid_record`
 */
export const update = async (
  resource: ServedResource,
  grant: Grant,
  id: number,
  body: JsonObject,
  ifMatch: string | undefined,
  shared?: SharedTransaction,
): Promise<SavedRecord> => {
  const { model, records, context } = resource;
  const versions = acceptedVersions(ifMatch);
  // A hook must not run for a record that is not there.
  if (model.hooks.beforeSave !== undefined) await checkTarget(resource, grant, id, versions, shared);
  const prepared = await prepareWrite(resource, 'update', grant, body, id, shared);
  const { values, columns, errors } = prepared;
  if (errors.length > 0) {
    await checkTarget(resource, grant, id, versions, shared);
    throw new Problem('invalid_record', { errors });
  }
  let saved: SavedRecord | undefined;
  try {
    saved = await records.update(grant, id, columns, context.clock(), versions, shared?.transaction);
  } catch (error) {
    throw await refusal(resource, error, grant, prepared, id);
  }
  if (saved === undefined) return refuseMissing(resource, grant, id, shared);
  afterCommit(resource, 'update', grant, saved, values, shared);
  return saved;
};
