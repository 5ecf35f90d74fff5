/** Metadata of a model for one caller, from which a front end builds its lists and forms. */

import { bucketsOf, isGroupable, measuresOf } from '../fields/aggregates.ts';
import type { JsonSchema } from '../fields/field.ts';
import { type Json, type JsonObject, withoutUndefined } from '../kernel/json.ts';
import { fill, type Label, type Locale, labelText } from '../kernel/messages.ts';
import { formSchema, nestedForm, uiSchemaOf, withNestedUi } from './definition/form.ts';
import type { Models } from './models.ts';
import { type NestedInput, withNested } from './nested-schema.ts';
import { type Action, actions, type ModelField, type ResourceModel } from './resource.ts';
import { namedRules } from './row-expression.ts';
import { isolationSentences, type RowReader, rowSentence, rowTree } from './row-sentences.ts';
import { bodyFields, inputSchema, lackingField, outputSchema } from './schema.ts';

export type { IconName } from './definition/icons.ts';
export { iconNames } from './definition/icons.ts';

/** The fields that an action shows a caller and accepts from them. */
export interface Reach {
  readonly readable: readonly string[];
  readonly writable: ReadonlySet<string>;
  /** Readable fields that some records hide; absent where there are none. */
  readonly mask?: { readonly sets: readonly { readonly fields: readonly string[] }[] } | undefined;
}

/** The reach of each action for one caller, as decided by the policy; undefined where it is refused. */
export type Access = Readonly<Record<Action, Reach | undefined>>;

/** An endpoint of the resource, as the router knows it. */
export interface EndpointSummary {
  readonly action: Action | 'aggregate' | 'file' | 'history' | 'restore';
  readonly method: string;
  /** Full path, with `/api/v1`. */
  readonly path: string;
  /** Accepted authentication methods; empty where the endpoint is open. */
  readonly authentication: readonly string[];
}

/**
 * Names of the fields that the caller reads in the response of some action or writes; all others are hidden from
 * them.
 */
const visibleTo = (access: Access, writes: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...writes, ...Object.values(access).flatMap((reach) => reach?.readable ?? [])]);

/** Only fields of the list can be filtered, sorted and grouped by. */
const queryOf = ({ search }: ResourceModel, { name, type }: ModelField, { list }: Access): JsonObject => {
  const listed = list?.readable.includes(name) ?? false;
  return {
    operators: listed ? [...type.operators] : [],
    sortable: listed && type.sortable,
    searchable: listed && (search.length === 0 ? type.searchable : search.includes(name)),
    groupable: listed && isGroupable(type),
    buckets: listed ? [...bucketsOf(type)] : [],
    measures: listed ? [...measuresOf(type)] : [],
  };
};

const describeField = (
  model: ResourceModel,
  field: ModelField,
  access: Access,
  writes: ReadonlySet<string>,
  locale: Locale,
): JsonObject => {
  const { type, options } = field;
  const choices = type.choices?.(options, locale);
  const bounds = type.bounds?.(options) ?? {};
  const isReference = field.reference !== undefined;
  return withoutUndefined<Json>({
    name: field.name,
    label: labelText(field.label, locale),
    type: field.kind,
    required: field.required,
    unique: options.unique ?? false,
    read_only: !writes.has(field.name),
    group: options.group && labelText(options.group, locale),
    default: options.default,
    choices: choices?.map((choice) => ({ ...choice })),
    bounds: Object.keys(bounds).length === 0 ? undefined : bounds,
    reference: field.reference,
    anyone: isReference ? field.anyone : undefined,
    same: field.same,
    on_delete: isReference ? (field.onDelete ?? 'restrict') : undefined,
    ...queryOf(model, field, access),
  });
};

/** Unique sets of fields all of which are visible to the caller. */
const uniqueOf = ({ unique }: ResourceModel, visible: ReadonlySet<string>): JsonObject[string] =>
  unique.filter((names) => names.every((name) => visible.has(name))).map((names) => [...names]);

/** True if a field is visible in some view, and so to readers of another model. */
const inSomeView = ({ views }: ResourceModel, name: string): boolean =>
  Object.values(views).some((names) => names.includes(name));

/**
 * The rows that callers other than administrators read and write, in words and as a tree. Fields that the caller never
 * sees are not named, nor are fields of other models that no view has.
 */
const isolationOf = (
  model: ResourceModel,
  visible: ReadonlySet<string>,
  models: Models,
  locale: Locale,
): JsonObject => {
  const { isolation: own, publicOrOwn, manage } = model.rules;
  const reader: RowReader = {
    models,
    // Every record has an id, and the owner has the same name in every model.
    shows: (of, name) =>
      name === 'id' || name === of.owner || (of === model ? visible.has(name) : inSomeView(of, name)),
  };
  const managed =
    manage === undefined ? {} : { manage: rowSentence(manage.expression, model, reader, locale) };
  if (own === undefined) return managed;
  const isolation = { ...own, read: publicOrOwn ?? own.read };
  const trees = namedRules(isolation).map(([name, { expression }]): [string, JsonObject] => [
    name,
    rowTree(expression, model, reader),
  ]);
  const rules = Object.fromEntries(trees);
  return { isolation: { ...isolationSentences(isolation, model, reader, locale), rules }, ...managed };
};

const nothing: ReadonlySet<string> = new Set();

/** The fields of one record that the caller reads: of detail, else of the list, else none. */
const readableOf = ({ detail, list }: Access): readonly string[] => (detail ?? list)?.readable ?? [];

/** The fields that some records hide. */
const optionalOf = ({ detail, list }: Access): ReadonlySet<string> =>
  new Set((detail ?? list)?.mask?.sets.flatMap(({ fields }) => fields));

const unwritable: Label = {
  'zh-CN': '{label}为必填项且没有默认值，而当前用户无权填写',
  en: '{label} is required, has no default, and you cannot write it',
};

/**
 * True if a caller can create records. A caller who may not write a required field without a default cannot, even with
 * the permission. The reason is returned with the permission.
 */
const creatable = (
  model: ResourceModel,
  access: Access,
  locale: Locale,
): { readonly access: Access; readonly reasons?: JsonObject } => {
  const { create } = access;
  const missing = create && lackingField(model, create.writable);
  if (missing === undefined) return { access };
  const reason = fill(labelText(unwritable, locale), { label: labelText(missing.label, locale) });
  return { access: { ...access, create: undefined }, reasons: { create: reason } };
};

/**
 * Metadata of a model for one caller: all that a front end needs to render lists and forms.
 * @param subject what the access is to: any record, a certain one, or a new one, whose read-only fields it then has
 */
export const describeModel = (
  model: ResourceModel,
  granted: Access,
  endpoints: readonly EndpointSummary[],
  locale: Locale,
  models: Models = new Map(),
  nested: readonly NestedInput[] = [],
  subject: 'model' | 'record' | 'new' = 'model',
): JsonObject => {
  const { access, reasons } = creatable(model, granted, locale);
  const creates = access.create?.writable ?? nothing;
  const updates = access.update?.writable ?? nothing;
  const changed = [...updates].filter((name) => model.fields.get(name)?.fixed !== true);
  const bySubject = { model: [...creates, ...changed], record: changed, new: [...creates] };
  const written = bodyFields(model, new Set(bySubject[subject]));
  const writes = new Set(written.map(({ name }) => name));
  const visible = visibleTo(access, writes);
  const readable = readableOf(access);
  const shown = new Set(readable);
  const fields = [...model.fields.values()].filter(({ name }) => visible.has(name));
  const form = (
    action: 'create' | 'update',
    writable: ReadonlySet<string>,
    known: ReadonlySet<string>,
  ): JsonSchema => {
    const input = inputSchema(model, action, writable, locale);
    const held = access[action] === undefined ? [] : nested;
    const schema = formSchema(model, withNested(input, action, held, locale), known, locale);
    return nestedForm(schema, action, held, locale);
  };
  const schemas: Record<'create' | 'update' | 'read', JsonSchema> = {
    create: form('create', creates, creates),
    update: form('update', updates, shown),
    read: outputSchema(model, readable, locale, optionalOf(access)),
  };
  return withoutUndefined<Json>({
    model: model.name,
    singular: model.singular,
    plural: model.plural,
    label: labelText(model.label, locale),
    plural_label: labelText(model.pluralLabel, locale),
    icon: model.icon,
    menu: model.menu && labelText(model.menu, locale),
    display: model.display,
    endpoints: endpoints.map(({ action, method, path, authentication }) => ({
      action,
      method,
      path,
      authentication: [...authentication],
    })),
    fields: fields.map((field) => describeField(model, field, access, writes, locale)),
    schemas,
    uiSchema: withNestedUi(uiSchemaOf(written, locale), nested, locale),
    unique: uniqueOf(model, visible),
    events: model.events ? true : undefined,
    ...isolationOf(model, visible, models, locale),
    trash: model.trash ? true : undefined,
    permissions: Object.fromEntries(actions.map((action) => [action, access[action] !== undefined])),
    reasons,
  });
};
