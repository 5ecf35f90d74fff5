import { ConstraintError, type Transaction } from '../database/database.ts';
import type { FieldError } from '../kernel/field-error.ts';
import { type JsonObject, own } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import type { Validated } from '../model/validate.ts';
import type { Candidate, Collision, Columns } from '../records/records.ts';
import { recordKey } from './transaction.ts';
import { beforeSave, type RecordWrite } from './writing.ts';

/** The reference to the record within which it is written stands in no body: of values taken together it is not told. */
const isTold = ({ of }: RecordWrite, { field, others }: Collision): boolean =>
  others === undefined || field !== of?.field;

/** The messages of what collides with what is stored, but for fields of which something was said before. */
export const collisionErrors = async (
  write: RecordWrite,
  candidate: Candidate,
  id: number | undefined,
  within?: Transaction,
): Promise<readonly FieldError[]> => {
  const { resource, grant } = write;
  const collisions = await resource.records.collisions(grant, candidate, id, within);
  return collisions
    .filter((each) => candidate.refused?.has(each.field) !== true && isTold(write, each))
    .map(resource.collision);
};

/**
 * What the database's refusal of a write means. A value that was taken, or a reference that went, between the look-up
 * and the write is a validation message like one that was found before.
 */
export const refusal = async (
  write: RecordWrite,
  error: unknown,
  candidate: Candidate,
  id?: number,
): Promise<unknown> => {
  if (!(error instanceof ConstraintError)) return error;
  const { of } = write;
  // It is looked up outside of the transaction, in which alone that record may be.
  const isThere = of && ((model: string, value: unknown) => model === of.model && value === of.id);
  const errors = await collisionErrors(write, { ...candidate, isThere }, id);
  if (errors.length === 0) return new Problem('conflict', { cause: error });
  return new Problem('invalid_record', { errors, cause: error });
};

/** What a write comes to before the database is asked to do it. */
export interface Prepared extends Candidate {
  readonly values: JsonObject;
  /** Every violated rule; a record with one is not written. */
  readonly errors: readonly FieldError[];
}

/** The record that is updated: its id, and all of it where a hook is told. */
interface Updated {
  readonly id?: number;
  readonly whole?: string | undefined;
}

/** Whether it is looked at only: it stands within a record that has been refused. */
const isRehearsed = ({ of }: RecordWrite): boolean => of !== undefined && of.id === undefined;

/** The record within which another is written is set by that one; nothing else in a body says it. */
const withSurrounding = ({ of }: RecordWrite, action: 'create' | 'update', body: JsonObject): JsonObject => {
  if (of === undefined) return body;
  const { [of.field]: _sent, ...rest } = body;
  return action === 'update' || of.id === undefined ? rest : { ...rest, [of.field]: of.id };
};

/** Asks the resource's `beforeSave`: what it changes is validated once more. */
const consultHook = async (
  write: RecordWrite,
  action: 'create' | 'update',
  updated: Updated,
  validated: Validated,
): Promise<Validated> => {
  const { model, validate } = write.resource;
  const values = { ...validated.values };
  const added = await beforeSave(write, action, values, updated);
  const again = validate(values, action, model.fields);
  return { ...again, errors: [...again.errors, ...added] };
};

const nothing: ReadonlySet<string> = new Set();

/**
 * Fields whose references the caller chose. What the hook put in their place is the application's word, and so is a
 * default, whether the body repeats it or leaves it out: these are asked for existence only.
 */
const chosenReferences = (
  { resource: { model }, grant: { references }, of }: RecordWrite,
  action: 'create' | 'update',
  body: JsonObject,
  sent: Columns,
  saved: Columns,
): ReadonlySet<string> => {
  if (references === undefined) return nothing;
  const names = [...references.keys()].filter((name) => {
    if (name === of?.field) return false;
    const preset = action === 'create' ? model.fields.get(name)?.options.default : undefined;
    return own(body, name) !== undefined && own(body, name) !== preset && sent[name] === saved[name];
  });
  return new Set(names);
};

/**
 * Whether the row rule lets the caller write what the body says. A default, and a field that the body leaves out, the hook
 * may still set.
 */
const isAdmitted = (
  { resource: { model, records }, grant, acting }: RecordWrite,
  body: JsonObject,
  columns: Columns,
  id: number | undefined,
): Promise<boolean> => {
  const sent = Object.entries(columns).filter(
    ([name]) => grant.writable.has(name) && own(body, name) !== undefined,
  );
  const owner: Columns =
    id !== undefined || model.owner === undefined || grant.owner === undefined
      ? {}
      : { [model.owner]: grant.owner };
  return records.admits(grant, { ...Object.fromEntries(sent), ...owner }, id, acting.shared?.transaction);
};

/** What a body within another one comes to before hooks are asked, for who looks at several of them. */
export const isRefusedWithin = async (write: RecordWrite, sent: JsonObject): Promise<boolean> => {
  const { resource, grant } = write;
  const body = withSurrounding(write, 'create', sent);
  const { columns, errors } = resource.validate(body, 'create', grant.writable);
  if (errors.some(({ field }) => field !== write.of?.field)) return false;
  if (await isAdmitted(write, body, columns, undefined)) return false;
  const chosen = chosenReferences(write, 'create', body, columns, columns);
  return (await collisionErrors(write, { columns, chosen }, undefined)).length === 0;
};

/**
 * Validates a body as this caller may write it, asks the hook, and looks up uniqueness and references, so that every
 * message comes at once. Nothing is written. The hook is not asked where the body decides that the write is refused.
 * `isRefused`: whether that is so of what stands within the record.
 * @throws Problem `forbidden`
 */
export const prepareWrite = async (
  write: RecordWrite,
  action: 'create' | 'update',
  sent: JsonObject,
  updated: Updated = {},
  isRefused: () => Promise<boolean> = async () => false,
): Promise<Prepared> => {
  const { resource, grant, acting, of } = write;
  const { model, validate } = resource;
  const body = withSurrounding(write, action, sent);
  const first = validate(body, action, grant.writable);
  const asksHook = first.errors.length === 0 && model.hooks.beforeSave !== undefined && !isRehearsed(write);
  const isForbidden =
    asksHook && (!(await isAdmitted(write, body, first.columns, updated.id)) || (await isRefused()));
  const { values, columns, errors } =
    asksHook && !isForbidden ? await consultHook(write, action, updated, first) : first;
  const chosen = chosenReferences(write, action, body, first.columns, columns);
  const { shared } = acting;
  const isThere = shared && ((name: string, id: unknown) => shared.known.has(recordKey(name, Number(id))));
  const refused = new Set(errors.map(({ field }) => field));
  const candidate = { columns, chosen, refused, isThere };
  const collisions = await collisionErrors(write, candidate, updated.id, shared?.transaction);
  const all = [...errors, ...collisions];
  if (isForbidden && all.length === 0) throw new Problem('forbidden');
  if (all.length > 1) {
    const order = [...model.fields.keys()];
    all.sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field));
  }
  // That it lacks what it would be given is no matter of its own.
  const told = isRehearsed(write) ? all.filter(({ field }) => field !== of?.field) : all;
  return { values, columns, chosen, errors: told };
};
