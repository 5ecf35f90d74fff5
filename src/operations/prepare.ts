import type { Principal } from '../auth/principal.ts';
import { hookFailure } from '../kernel/application-code.ts';
import { type JsonObject, own } from '../kernel/json.ts';
import type { FieldError } from '../kernel/problem.ts';
import type { HookPrincipal } from '../model/resource.ts';
import type { Validated } from '../model/validate.ts';
import type { Grant } from '../policy/grant.ts';
import type { Candidate, Columns } from '../store/records/records.ts';
import type { ServedResource } from './served-resource.ts';
import type { SharedTransaction } from './transaction.ts';

/** What a write comes to before the database is asked to do it. */
export interface Prepared extends Candidate {
  readonly values: JsonObject;
  /** Every violated rule; a record with one is not written. */
  readonly errors: readonly FieldError[];
}

export const hookPrincipal = (principal: Principal): HookPrincipal => {
  if (principal.kind === 'user') {
    const { id, username, roles } = principal;
    return { kind: 'user', id, username, roles };
  }
  return principal.kind === 'application'
    ? { kind: 'application', appId: principal.appId }
    : { kind: 'nobody' };
};

/** Runs the resource's `beforeSave`: what it changes is validated once more, what it throws is a 500. */
const consultHook = async (
  { model, validate, context }: ServedResource,
  action: 'create' | 'update',
  id: number | undefined,
  grant: Grant,
  validated: Validated,
): Promise<Validated> => {
  const { beforeSave } = model.hooks;
  if (beforeSave === undefined) return validated;
  const added: FieldError[] = [];
  const values = { ...validated.values };
  try {
    await context.code.run(`beforeSave of ${model.name}, ${action}`, () =>
      beforeSave({
        action,
        id,
        values,
        principal: hookPrincipal(grant.principal),
        addError: (field, message) => void added.push({ field, rule: 'custom', message }),
      }),
    );
  } catch (cause) {
    throw hookFailure(cause);
  }
  const again = validate(values, action, model.fields);
  return { ...again, errors: [...again.errors, ...added] };
};

const nothing: ReadonlySet<string> = new Set();

/**
 * Fields whose references the caller chose. What the hook put in their place is the application's word, and so is a
 * default, whether the body repeats it or leaves it out: these are asked for existence only.
 */
const chosenReferences = (
  { model }: ServedResource,
  action: 'create' | 'update',
  { references }: Grant,
  body: JsonObject,
  sent: Columns,
  saved: Columns,
): ReadonlySet<string> => {
  if (references === undefined) return nothing;
  const names = [...references.keys()].filter((name) => {
    const preset = action === 'create' ? model.fields.get(name)?.options.default : undefined;
    return own(body, name) !== undefined && own(body, name) !== preset && sent[name] === saved[name];
  });
  return new Set(names);
};

/**
 * Validates a body as this caller may write it, asks the hook, and looks up uniqueness and references, so that every
 * message comes at once. Nothing is written.
 */
export const prepareWrite = async (
  resource: ServedResource,
  action: 'create' | 'update',
  grant: Grant,
  body: JsonObject,
  id?: number,
  shared?: SharedTransaction,
): Promise<Prepared> => {
  const { model, records, validate, collision } = resource;
  const first = validate(body, action, grant.writable);
  const { values, columns, errors } =
    first.errors.length > 0 ? first : await consultHook(resource, action, id, grant, first);
  const chosen = chosenReferences(resource, action, grant, body, first.columns, columns);
  const collisions = await records.collisions(grant, { columns, chosen }, id, shared?.transaction);
  const known = new Set(errors.map(({ field }) => field));
  const all = [...errors, ...collisions.filter(({ field }) => !known.has(field)).map(collision)];
  if (all.length > 1) {
    const order = [...model.fields.keys()];
    all.sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field));
  }
  return { values, columns, chosen, errors: all };
};
