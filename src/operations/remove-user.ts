import type { Database } from '../database/database.ts';
import type { UserStore } from '../service/users/users.ts';
import { cascadeFrom } from './cascade.ts';
import { createCascade } from './cascade-links.ts';
import type { ServedResource } from './served-resource.ts';
import { type Acting, together } from './transaction.ts';

/** A user with what goes with them, as any record does that is referred to. */
export interface UserRemoval {
  /** Whether records may go with a user, and whether code of the application runs then. */
  readonly takesOthers: boolean;
  readonly runsHooks: boolean;
  /**
   * Deletes a user.
   * @throws Problem `record_not_found`, `forbidden`, `last_super_admin`, `still_referenced`, `cascade_too_large`
   */
  readonly remove: (id: number, acting: Acting) => Promise<void>;
}

export const createUserRemoval = (
  database: Database,
  users: UserStore,
  resources: ReadonlyMap<string, ServedResource>,
): UserRemoval => {
  const model = 'User';
  const models = new Map([...resources].map(([name, resource]) => [name, resource.model]));
  const cascade = createCascade(database, models, model);
  const { runsHooks } = cascade;
  const [link] = [...cascade.links, ...cascade.nulled];
  const context = link && resources.get(link.model)?.context;
  const remove = async (id: number, acting: Acting): Promise<void> => {
    if (context === undefined) return users.remove(id, acting.actor());
    const { resourceOf, transactionLimit } = context;
    await together(
      database,
      async (shared) => {
        let conclude = async (): Promise<void> => {};
        const before = async (): Promise<void> => {
          conclude = await cascadeFrom({ model, id }, { ...acting, shared }, { cascade, resourceOf });
        };
        await users.remove(id, acting.actor(), { transaction: shared.transaction, before });
        await conclude();
      },
      { table: 'users', limit: runsHooks ? transactionLimit : undefined },
    );
  };
  return { takesOthers: context !== undefined, runsHooks, remove };
};
