import type { Database } from '../database/database.ts';
import { dialectOf } from '../database/registry.ts';
import type { Fragment } from '../database/statement.ts';
import { type Deletion, deletionOf, type Referrer, referrersOf } from '../model/deletion.ts';
import type { Models } from '../model/models.ts';
import { createDependents, type Dependents } from '../records/relations/dependents.ts';
import { createNotes, type NoteReferences } from '../records/trash/notes.ts';

/** Records that go in one transaction beside those that were asked for, and how far they may be from these. */
export const cascadeLimits = { records: 1_000, levels: 500 } as const;

/** What goes with the records of one model, made once. */
export interface Cascade extends Deletion {
  /** Whose records go with them directly, and how these are found. */
  readonly links: readonly { readonly model: string; readonly find: Dependents }[];
  /** Whose references become null, and who keeps versions or tells of that; found the same way. */
  readonly nulled: Cascade['links'];
  /** Whose references become null, whoever keeps what of that: the trash notes them, to set them again. */
  readonly noted: readonly NoteReferences[];
  /** Whether a record of the model goes into the trash. */
  readonly trash: boolean;
  /** Whether code of the application runs in the transaction. */
  readonly runsHooks: boolean;
}

export const createCascade = (database: Database, models: Models, name: string): Cascade => {
  const deletion = deletionOf(models, name);
  const dialect = dialectOf(database);
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

/** Whether a deletion has to look for other records: those that go with it, and those of which that is kept. */
export const touchesOthers = ({ links, nulled }: Cascade): boolean => links.length > 0 || nulled.length > 0;

/** The same, with those whose references the trash notes. */
export const noticesOthers = (cascade: Cascade): boolean =>
  touchesOthers(cascade) || (cascade.trash && cascade.noted.length > 0);
