/** Prepares a write: validation, hook, unique values and references, so that every message comes at once. */

import { ConstraintError, type Transaction } from '../../database/database.ts';
import type { RecordId } from '../../fields/key.ts';
import { ignoredErrors } from '../../http/preferences.ts';
import type { FieldError } from '../../kernel/field-error.ts';
import { type JsonObject, own } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { isMissing, type Validated } from '../../model/validate.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Candidate, Collision, Columns } from '../../records/records.ts';
import { makeWayIn } from './make-way.ts';
import { isThereIn } from './transaction.ts';
import { beforeSave, type RecordWrite } from './writing.ts';

/** The reference to the outer record comes from no body: a set of unique values is not reported under that field. */
const isReported = ({ of }: RecordWrite, { field, others }: Collision): boolean =>
  others === undefined || field !== of?.field;

/** The messages of collisions with stored records, except for fields that already have a message. */
export const collisionErrors = async (
  write: RecordWrite,
  candidate: Candidate,
  id: RecordId | undefined,
  within?: Transaction,
): Promise<readonly FieldError[]> => {
  const { resource, grant } = write;
  const collisions = await resource.records.collisions(grant, candidate, id, within);
  return collisions
    .filter((each) => candidate.refused?.has(each.field) !== true && isReported(write, each))
    .map(resource.collision);
};

/**
 * Translates an error of the writing statement. A value that was taken, or a reference that was deleted, between the
 * look-up and the write becomes a validation message, as if the look-up had found it.
 */
export const translateError = async (
  write: RecordWrite,
  error: unknown,
  candidate: Candidate,
  id?: RecordId,
): Promise<unknown> => {
  if (!(error instanceof ConstraintError)) return error;
  const { of } = write;
  // The look-up runs outside of the transaction, where the outer record may not exist yet.
  const isThere = of && ((model: string, value: unknown) => model === of.model && value === of.id);
  const errors = await collisionErrors(write, { ...candidate, isThere }, id);
  if (errors.length === 0) return new Problem('conflict', { cause: error });
  return new Problem('invalid_record', { errors, cause: error });
};

/** A write that is ready for its statement. */
export interface Prepared extends Candidate {
  /** The grant for this record: of fields that depend on the record it has those that the caller may set. */
  readonly grant: Grant;
  readonly values: JsonObject;
  /** Every violated rule; a record with one is not written. */
  readonly errors: readonly FieldError[];
}

/** The record that is updated: its id, and its JSON text of every field if a hook receives it. */
interface Updated {
  readonly id?: RecordId;
  readonly whole?: string | undefined;
}

/** True if it is only validated: its outer record was refused. */
const isRehearsed = ({ of }: RecordWrite): boolean => of !== undefined && of.id === undefined;

/** The body with the reference to its outer record, which replaces any value that was sent. */
const withSurrounding = ({ of }: RecordWrite, action: 'create' | 'update', body: JsonObject): JsonObject => {
  if (of === undefined) return body;
  const { [of.field]: _sent, ...rest } = body;
  return action === 'update' || of.id === undefined ? rest : { ...rest, [of.field]: of.id };
};

/**
 * Columns of JSON that the hook left as they were. They stay as they were sent: the hook saw them as values of
 * JavaScript, which are others where a number has more digits than a double.
 */
const keptTexts = ({ fields }: ResourceModel, { columns }: Validated, after: JsonObject): Columns =>
  Object.fromEntries(
    Object.entries(columns).filter(
      ([name, text]) =>
        fields.get(name)?.type.column === 'json' &&
        typeof text === 'string' &&
        JSON.stringify(JSON.parse(text)) === JSON.stringify(after[name]),
    ),
  );

/** Runs the resource's `beforeSave`, and validates its values again. */
const validateAfterHook = async (
  write: RecordWrite,
  action: 'create' | 'update',
  updated: Updated,
  validated: Validated,
): Promise<Validated> => {
  const { model, validate } = write.resource;
  const values = { ...validated.values };
  const added = await beforeSave(write, action, values, updated);
  const again = validate(values, action, model.fields);
  const columns = { ...again.columns, ...keptTexts(model, validated, values) };
  return { ...again, columns, errors: [...again.errors, ...added] };
};

const noReferences: ReadonlySet<string> = new Set();

/**
 * Fields whose references the caller chose. References set by the hook, and defaults, sent or not, are the
 * application's choice: those only have to exist.
 */
const chosenReferences = (
  { resource: { model }, grant: { references }, of }: RecordWrite,
  action: 'create' | 'update',
  body: JsonObject,
  sent: Columns,
  saved: Columns,
): ReadonlySet<string> => {
  if (references === undefined) return noReferences;
  const names = [...references.keys()].filter((name) => {
    if (name === of?.field) return false;
    const preset = action === 'create' ? model.fields.get(name)?.options.default : undefined;
    return own(body, name) !== undefined && own(body, name) !== preset && sent[name] === saved[name];
  });
  return new Set(names);
};

/** The owner that the policy sets, of a new record. */
const ownerOfNew = ({ resource: { model }, grant }: RecordWrite): Columns =>
  model.owner === undefined || grant.owner === undefined ? {} : { [model.owner]: grant.owner };

/** The chosen references of a new record that name no record which the caller may name. */
const refusedReferences = async (
  { resource, grant, acting }: RecordWrite,
  columns: Columns,
  chosen: ReadonlySet<string>,
): Promise<readonly string[]> => {
  if (chosen.size === 0) return [];
  const candidate = { columns, chosen, isThere: isThereIn(acting) };
  const within = acting.shared?.transaction;
  const collisions = await resource.records.collisions(grant, candidate, undefined, within);
  return collisions.flatMap(({ field, rule }) => (rule === 'reference' ? [field] : []));
};

/**
 * The values of a new record for the conditions of its fields: those of the body, with defaults and owner. A reference
 * that the caller may not name is left out: otherwise its refusal would say which fields the named record opens.
 */
const describedRecord = async (write: RecordWrite, body: JsonObject): Promise<Columns> => {
  const { resource, grant } = write;
  const { columns } = resource.validate(body, 'create', grant.writable);
  const described = { ...columns, ...ownerOfNew(write) };
  const chosen = chosenReferences(write, 'create', body, columns, columns);
  const refused = await refusedReferences(write, columns, chosen);
  return Object.fromEntries(Object.entries(described).filter(([name]) => !refused.includes(name)));
};

/**
 * The write with the fields that the caller may set in this record. Conditions of fields are checked on the record as
 * it is, of a new one as the body describes it; the writing statement checks them again. One statement, if the body has
 * such a field, and one more for a new record with references.
 */
const settleFields = async (
  write: RecordWrite,
  body: JsonObject,
  id: RecordId | undefined,
): Promise<RecordWrite> => {
  const { resource, grant, acting } = write;
  const sent = grant.held?.filter(({ fields }) => fields.some((name) => own(body, name) !== undefined)) ?? [];
  if (sent.length === 0) return write;
  const of = id ?? (await describedRecord(write, body));
  const settled = await resource.records.settled(grant, sent, of, acting.shared?.transaction);
  return { ...write, grant: settled };
};

/**
 * True if the row rule allows the values of the body. Defaults and omitted fields do not count: the hook may still set
 * them.
 */
const isAdmitted = (
  write: RecordWrite,
  body: JsonObject,
  columns: Columns,
  id: RecordId | undefined,
): Promise<boolean> => {
  const { resource, grant, acting } = write;
  const sent = Object.entries(columns).filter(
    ([name]) => grant.writable.has(name) && own(body, name) !== undefined,
  );
  const owner = id === undefined ? ownerOfNew(write) : {};
  return resource.records.admits(
    grant,
    { ...Object.fromEntries(sent), ...owner },
    id,
    acting.shared?.transaction,
  );
};

/**
 * Errors about required fields that the body has and the caller may not write. The field is not blank, and no value of
 * it would help this caller: the write is forbidden.
 */
const withheldIn = (
  { grant }: RecordWrite,
  body: JsonObject,
  errors: readonly FieldError[],
): readonly FieldError[] =>
  errors.filter(
    ({ field, rule }) =>
      rule === 'required' && !grant.writable.has(field) && !isMissing(own(body, field) ?? null),
  );

/** The messages of a strict write about the names in its body that it would ignore. */
const ignoredIn = (
  { resource, grant, of }: RecordWrite,
  action: 'create' | 'update',
  sent: JsonObject,
  withheld: readonly FieldError[],
): readonly FieldError[] => {
  const { model, nested, context } = resource;
  const isTaken = (name: string): boolean => {
    const field = model.fields.get(name);
    if (field === undefined) return nested.some((relation) => relation.name === name);
    if (field.serverSet || name === of?.field || (field.fixed && action === 'update')) return false;
    // A required field that the caller may not write makes the write forbidden.
    return grant.writable.has(name) || withheld.some((error) => error.field === name);
  };
  const names = Object.keys(sent).filter((name) => !isTaken(name));
  return ignoredErrors(context.languages.first, names, (name) => model.fields.get(name)?.label);
};

/** True if a nested body is valid but refused by a row rule or for its fields, before any hook runs. */
export const isRefusedWithin = async (asked: RecordWrite, sent: JsonObject): Promise<boolean> => {
  const body = withSurrounding(asked, 'create', sent);
  const write = await settleFields(asked, body, undefined);
  const { resource, grant } = write;
  const { columns, errors } = resource.validate(body, 'create', grant.writable);
  const withheld = withheldIn(write, body, errors);
  if (errors.some((each) => each.field !== write.of?.field && !withheld.includes(each))) return false;
  if (withheld.length === 0 && (await isAdmitted(write, body, columns, undefined))) return false;
  const chosen = chosenReferences(write, 'create', body, columns, columns);
  return (await collisionErrors(write, { columns, chosen }, undefined)).length === 0;
};

/**
 * Returns the grant for a new record with some of its values, which may come to have others; undefined if a row rule
 * refuses them. A value that a create could not take is refused before any condition is evaluated, in the same words if
 * the record that it names is missing or unreadable: nothing becomes known that a create would keep secret.
 * @param refuse returns the problem about a value that cannot be used
 */
export const grantForNew = async (
  write: RecordWrite,
  values: JsonObject,
  refuse: (name: string) => Problem,
): Promise<Grant | undefined> => {
  const { resource, grant } = write;
  const { columns, errors } = resource.validate(values, 'create', grant.writable);
  const wrong = errors.find(({ field }) => own(values, field) !== undefined);
  if (wrong !== undefined) throw refuse(wrong.field);
  const chosen = chosenReferences(write, 'create', values, columns, columns);
  const [refused] = await refusedReferences(write, columns, chosen);
  if (refused !== undefined) throw refuse(refused);
  if (!(await isAdmitted(write, values, columns, undefined))) return undefined;
  if (grant.held === undefined) return grant;
  return resource.records.settled(grant, grant.held, { ...columns, ...ownerOfNew(write) });
};

/**
 * Validates a body as this caller may write it, runs the hook, and looks up uniqueness and references, so that every
 * message comes at once. Nothing is written. The hook does not run if the body itself decides that the write is
 * refused. `isRefused`: whether a nested record decides that.
 * @throws Problem `forbidden`
 */
export const prepareWrite = async (
  asked: RecordWrite,
  action: 'create' | 'update',
  sent: JsonObject,
  updated: Updated = {},
  isRefused: () => Promise<boolean> = async () => false,
): Promise<Prepared> => {
  const body = withSurrounding(asked, action, sent);
  const write = await settleFields(asked, body, action === 'create' ? undefined : updated.id);
  const { resource, grant, acting, of } = write;
  const { model, validate } = resource;
  const first = validate(body, action, grant.writable);
  const withheld = withheldIn(write, body, first.errors);
  const ignored = write.isStrict === true ? ignoredIn(write, action, sent, withheld) : [];
  const isValid = first.errors.length + ignored.length === 0;
  const hasHook = isValid && model.hooks.beforeSave !== undefined && !isRehearsed(write);
  const isForbidden =
    withheld.length > 0 ||
    (hasHook && (!(await isAdmitted(write, body, first.columns, updated.id)) || (await isRefused())));
  const { values, columns, errors } =
    hasHook && !isForbidden ? await validateAfterHook(write, action, updated, first) : first;
  const chosen = chosenReferences(write, action, body, first.columns, columns);
  const { shared } = acting;
  const isThere = isThereIn(acting);
  const refused = new Set(errors.map(({ field }) => field));
  const candidate = { columns, chosen, refused, isThere, makeWay: makeWayIn(write) };
  const collisions = await collisionErrors(write, candidate, updated.id, shared?.transaction);
  const all = [...errors.filter((each) => !withheld.includes(each)), ...collisions];
  // Nothing is written with a refused outer record: its messages are the response.
  if (isForbidden && all.length + ignored.length === 0 && !isRehearsed(write)) throw new Problem('forbidden');
  if (all.length > 1) {
    const order = [...model.fields.keys()];
    all.sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field));
  }
  // A nested record that is only validated has no reference to its outer record: that is no error.
  const reported = isRehearsed(write) ? all.filter(({ field }) => field !== of?.field) : all;
  return { grant, values, columns, chosen, errors: [...reported, ...ignored] };
};
