import { type Deletion, deletionOf } from '../model/deletion.ts';
import type { Models } from '../model/models.ts';
import type { Database } from '../store/database.ts';
import { dialectOf } from '../store/dialects/registry.ts';
import { createDependents, type Dependents } from '../store/relations/dependents.ts';

/** Records that go in one transaction beside those that were asked for, and how far they may be from these. */
export const cascadeLimits = { records: 1_000, levels: 500 } as const;

/** What goes with the records of one model, made once. */
export interface Cascade extends Deletion {
  /** Whose records go with them directly, and how these are found. */
  readonly links: readonly { readonly model: string; readonly find: Dependents }[];
  /** Whether code of the application runs in the transaction. */
  readonly runsHooks: boolean;
}

export const createCascade = (database: Database, models: Models, name: string): Cascade => {
  const deletion = deletionOf(models, name);
  const dialect = dialectOf(database);
  return {
    ...deletion,
    links: deletion.cascading.map(({ model, field }) => ({
      model: model.name,
      find: createDependents(dialect, model, field, cascadeLimits.records + 1),
    })),
    runsHooks: deletion.reached.some(({ hooks }) => hooks.beforeCommit !== undefined),
  };
};
