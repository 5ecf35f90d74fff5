import type { JsonObject } from '../kernel/json.ts';
import type { Grant } from '../policy/grant.ts';
import { hookPrincipal } from './prepare.ts';
import type { ServedResource } from './served-resource.ts';

/** Runs the resource's `afterCommit` beside the answer. The record is durable, so what the hook throws is only logged. */
export const afterCommit = (
  { model, context }: ServedResource,
  action: 'create' | 'update' | 'destroy',
  grant: Grant,
  { id, whole }: { readonly id: number; readonly whole?: string | undefined },
  values: JsonObject,
): void => {
  const hook = model.hooks.afterCommit;
  if (hook === undefined || whole === undefined) return;
  const run = async (): Promise<void> => {
    const record: JsonObject = JSON.parse(whole);
    await context.code.run(`afterCommit of ${model.name}, ${action} of ${id}`, () =>
      hook({ action, id, record, values, principal: hookPrincipal(grant.principal) }),
    );
  };
  run().catch((error: unknown) => context.report(error, `afterCommit of ${model.name} ${id}`));
};
