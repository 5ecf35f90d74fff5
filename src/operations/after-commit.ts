import type { JsonObject } from '../kernel/json.ts';
import type { Grant } from '../policy/grant.ts';
import { hookPrincipal } from './prepare.ts';
import type { ServedResource } from './served-resource.ts';
import type { SharedTransaction } from './transaction.ts';

/**
 * Runs the resource's `afterCommit` beside the answer, once the record is durable: at once, or when the transaction that
 * the write was part of is committed. What the hook throws is only logged.
 */
export const afterCommit = (
  { model, context }: ServedResource,
  action: 'create' | 'update' | 'destroy',
  grant: Grant,
  { id, whole }: { readonly id: number; readonly whole?: string | undefined },
  values: JsonObject,
  shared?: SharedTransaction,
): void => {
  const hook = model.hooks.afterCommit;
  if (hook === undefined || whole === undefined) return;
  const run = async (): Promise<void> => {
    const record: JsonObject = JSON.parse(whole);
    await context.code.run(`afterCommit of ${model.name}, ${action} of ${id}`, () =>
      hook({ action, id, record, values, principal: hookPrincipal(grant.principal) }),
    );
  };
  const start = (): void => {
    run().catch((error: unknown) => context.report(error, `afterCommit of ${model.name} ${id}`));
  };
  if (shared === undefined) start();
  else shared.committed(start);
};
