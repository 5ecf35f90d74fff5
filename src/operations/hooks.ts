import { ConstraintError } from '../database/database.ts';
import type { FieldError } from '../kernel/field-error.ts';
import type { JsonObject } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { AfterCommitContext, BeforeCommitContext, BeforeSaveContext } from '../model/hooks.ts';
import type { RecordWrite, SharedWrite, WriteAction } from './record-write.ts';
import type { Acting } from './transaction.ts';

/** Hooks that may lead to one another by what they write; more is a circle. */
const maxDepth = 16;

const deeper = (acting: Acting, what: string): Acting => {
  const depth = acting.depth + 1;
  if (depth > maxDepth) throw new Error(`${what}: ${maxDepth} hooks have led to one another by their writes`);
  return { ...acting, depth };
};

/** What code of the application is answered as: a problem as it is, a constraint as a conflict, all else says nothing. */
export const codeFailure = (cause: unknown): Problem => {
  if (cause instanceof Problem) return cause;
  return new Problem(cause instanceof ConstraintError ? 'conflict' : 'internal', { cause });
};

const custom = (field: string | undefined, message: string): FieldError => ({
  field: field ?? '',
  rule: 'custom',
  message,
});

const parsed = (text: string | undefined): JsonObject | undefined =>
  text === undefined ? undefined : JSON.parse(text);

/** Runs the resource's `beforeSave`, which may change the values. Answers the messages that it added. */
export const beforeSave = async (
  { resource, acting }: RecordWrite,
  action: 'create' | 'update',
  values: JsonObject,
  { id, whole }: { readonly id?: number | undefined; readonly whole?: string | undefined },
): Promise<readonly FieldError[]> => {
  const { model, context } = resource;
  const added: FieldError[] = [];
  const hook = model.hooks.beforeSave;
  if (hook === undefined) return added;
  const what = `beforeSave of ${model.name}, ${action}`;
  try {
    const told: BeforeSaveContext<JsonObject> = {
      ...context.scopeOf(deeper(acting, what)),
      action,
      id,
      before: parsed(whole),
      values,
      addError: (field, message) => void added.push(custom(field, message)),
    };
    await context.code.run(what, () => hook(told));
  } catch (cause) {
    throw codeFailure(cause);
  }
  return added;
};

/** Runs the resource's `beforeCommit`. What it refuses must not stand, whoever catches the error. */
export const beforeCommit = async (
  { resource, acting }: SharedWrite,
  action: WriteAction,
  id: number,
  before: string | undefined,
  after: string | undefined,
): Promise<void> => {
  const { model, context } = resource;
  const hook = model.hooks.beforeCommit;
  if (hook === undefined) return;
  const what = `beforeCommit of ${model.name}, ${action} of ${id}`;
  const errors: FieldError[] = [];
  try {
    const told: BeforeCommitContext = {
      ...context.scopeOf(deeper(acting, what)),
      action,
      id,
      before: parsed(before),
      after: parsed(after),
      addError: (field, message) => void errors.push(custom(field, message)),
    };
    await context.code.run(what, () => hook(told));
  } catch (cause) {
    acting.shared.refuse(codeFailure(cause));
  }
  if (errors.length > 0) acting.shared.refuse(new Problem('invalid_record', { errors }));
};

/**
 * Runs the resource's `afterCommit` beside the answer, once the record is durable: at once, or when the transaction that
 * the write was part of is committed. What the hook throws is only logged.
 */
export const afterCommit = (
  { resource, acting }: RecordWrite,
  action: WriteAction,
  { id, whole }: { readonly id: number; readonly whole?: string | undefined },
  values: JsonObject,
): void => {
  const { model, context } = resource;
  const hook = model.hooks.afterCommit;
  if (hook === undefined || whole === undefined) return;
  const what = `afterCommit of ${model.name}, ${action} of ${id}`;
  const run = async (): Promise<void> => {
    // Neither the transaction nor the request is there any more.
    const after: Acting = { ...deeper(acting, what), shared: undefined, by: undefined };
    const told: AfterCommitContext = {
      ...context.scopeOf(after),
      action,
      id,
      record: JSON.parse(whole),
      values,
    };
    await context.code.run(what, () => hook(told));
  };
  const start = (): void => {
    run().catch((error: unknown) => context.report(error, `afterCommit of ${model.name} ${id}`));
  };
  if (acting.shared === undefined) start();
  else acting.shared.committed(start);
};
