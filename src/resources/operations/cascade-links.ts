/** The references that lead from a deleted record to others, and the limits of a cascade. */

import type { Database } from '../../database/database.ts';
import type { Fragment } from '../../database/statement.ts';
import { type Deletion, deletionOf, type Referrer, referrersOf } from '../../model/deletion.ts';
import type { Models } from '../../model/models.ts';
import { createDependents, type Dependents } from '../../records/relations.ts';
import { createNotes, type NoteReferences } from '../../records/trash.ts';

/**
 * The most records that one transaction deletes by cascade, and the most references between them and the deleted
 * record.
 */
export const cascadeLimits = {
  /** @limit Bodies | records that a deletion deletes with it | count | 409 `cascade_too_large` */
  records: 1_000,
  /** @limit Bodies | references that a deletion follows, one behind the other | count | 409 `cascade_too_large` */
  levels: 500,
} as const;

/** The effects of deleting records of one model, prepared once. */
export interface Cascade extends Deletion {
  /** Models whose records are deleted with them directly, and the statements that find these. */
  readonly links: readonly { readonly model: string; readonly find: Dependents }[];
  /** Models with history or events whose references become null, and the statements that find these records. */
  readonly nulled: Cascade['links'];
  /** All references that become null: the trash notes them, so that a restore can set them again. */
  readonly noted: readonly NoteReferences[];
  /** True if a record of the model goes into the trash. */
  readonly trash: boolean;
  /** True if code of the application runs in the transaction. */
  readonly runsHooks: boolean;
}

export const createCascade = (database: Database, models: Models, name: string): Cascade => {
  const deletion = deletionOf(models, name);
  const { dialect } = database;
  const linkOf =
    (lock: Fragment) =>
    ({ model, field }: Referrer): Cascade['links'][number] => ({
      model: model.name,
      find: createDependents(dialect, model, field, cascadeLimits.records + 1, lock),
    });
  const nulled = referrersOf(models, name, 'null');
  const hasTrash = [...models.values()].some(({ trash }) => trash);
  return {
    ...deletion,
    links: deletion.cascading.map(linkOf(dialect.deleteLock)),
    nulled: nulled.filter(({ model }) => model.history || model.events).map(linkOf(dialect.updateLock)),
    noted: (hasTrash ? nulled : []).map(({ model, field }) => createNotes(database, model, field)),
    trash: models.get(name)?.trash === true,
    runsHooks: deletion.reached.some(({ hooks }) => hooks.beforeCommit !== undefined),
  };
};

/**
 * True if a deletion reads other records: those that it deletes too, and those with history or events that it changes.
 */
export const touchesOthers = ({ links, nulled }: Cascade): boolean => links.length > 0 || nulled.length > 0;

/** True if a deletion has more statements than its own: also for references that the trash notes. */
export const affectsOthers = (cascade: Cascade): boolean =>
  touchesOthers(cascade) || (cascade.trash && cascade.noted.length > 0);
