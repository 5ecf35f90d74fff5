/**
 * Records that own service accounts: callers whom `manage` admits to the record are responsible for the account, which
 * ends with the record.
 */

import type { Transaction } from '../../database/database.ts';
import { recordNumber } from '../../database/record-column.ts';
import { toQuery } from '../../database/statement.ts';
import type { RecordId } from '../../fields/key.ts';
import type { Actor } from '../../ledger/audit.ts';
import { createCommands } from '../../ledger/command.ts';
import type { TableContext } from '../../ledger/context.ts';
import type { Models } from '../../model/models.ts';
import { apiArea } from '../../resources/area.ts';
import { type Acting, grantOfManaged, relatedFor, type ServedResource } from '../../resources/operations.ts';
import { revokeKeys } from '../api-keys/revoked-keys.ts';

/** A record that owns service accounts. */
export interface RecordOwner {
  readonly model: string;
  readonly id: RecordId;
}

/** The models whose records can own accounts: those with `manage`. */
export class RecordOwners {
  readonly #resources: ReadonlyMap<string, ServedResource>;
  readonly #models: Models;

  constructor(resources: ReadonlyMap<string, ServedResource>) {
    this.#resources = resources;
    this.#models = new Map([...resources].map(([name, { model }]) => [name, model]));
  }

  /** Models whose grants decide who manages their records. */
  get grantsOn(): readonly string[] {
    return [...this.#resources.values()].flatMap(({ model: { name, rules } }) =>
      rules.manage !== undefined && rules.permissions !== 'none' ? [name] : [],
    );
  }

  /** True if a record that the caller reads can own accounts. It is locked: it stays until the transaction ends. */
  async isThere(acting: Acting, { model, id }: RecordOwner, within: Transaction): Promise<boolean> {
    const resource = this.#resources.get(model);
    const grant = relatedFor({ models: this.#models }, acting)(model)?.grant;
    if (resource?.model.rules.manage === undefined || grant === undefined) return false;
    return (await resource.records.current(grant, id, within)) !== undefined;
  }

  /** True if the actor is a user whom `manage` admits to the record, which is locked in a transaction. */
  async manages({ principal }: Actor, { model, id }: RecordOwner, within?: Transaction): Promise<boolean> {
    const resource = this.#resources.get(model);
    if (resource === undefined || typeof principal === 'string' || principal.kind !== 'user') return false;
    const grant = grantOfManaged(resource.model, apiArea, principal);
    return grant !== undefined && (await resource.records.current(grant, id, within)) !== undefined;
  }
}

/**
 * Ends the service accounts of a record that is deleted: their keys end, and they are disabled. The accounts stay, as
 * records may refer to them.
 */
export const createAccountsEnd = (context: TableContext) => {
  const change = createCommands(context);
  return (owner: RecordOwner, actor: Actor, within: Transaction): Promise<void> =>
    change(
      actor,
      async (made) => {
        const { transaction, tables, at } = made;
        const end = tables
          .updateTable('users')
          .set({ disabled: true, updated_at: at })
          .where('owner_model', '=', owner.model)
          .where('owner_record', '=', recordNumber(owner.id))
          .where('disabled', '=', false)
          .returning(['id', 'username']);
        const ended = await transaction.all<{ id: number; username: string }>(toQuery(end));
        for (const { id } of ended) await revokeKeys(made, [{ column: 'user_id', value: id }]);
        const audit = ended.map(({ id, username }) => ({
          action: 'user.update',
          target: { kind: 'user', id, name: username },
          detail: { fields: ['disabled'], disabled: true, owner: { ...owner }, keys: 'revoked' },
        }));
        return { audit, result: undefined };
      },
      {},
      within,
    );
};
