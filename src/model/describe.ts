import type { JsonSchema } from '../fields/field.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import type { Locale } from '../kernel/messages/catalogue.ts';
import { labelText } from '../kernel/messages/messages.ts';
import type { Action, ModelField, ResourceModel, View } from './resource.ts';
import { inputSchema, outputSchema, writableFields } from './schema.ts';

/** What one caller may do, as the policy has decided it. */
export interface Access {
  readonly actions: Readonly<Record<Action, boolean>>;
  /** Fields that this caller's bodies may hold. */
  readonly writable: ReadonlySet<string>;
}

/** An endpoint of the resource, as the router has it. */
export interface EndpointSummary {
  readonly action: Action;
  readonly method: string;
  /** Full path, with `/api/v1`. */
  readonly path: string;
  /** Accepted methods of authentication; empty where the endpoint is open. */
  readonly authentication: readonly string[];
}

/** Fields that a caller may read somewhere or write; a field in no view is nobody's business. */
const isVisible = (model: ResourceModel, field: ModelField, writes: ReadonlySet<string>): boolean =>
  writes.has(field.name) || Object.values(model.views).some((names) => names.includes(field.name));

/** Only what the list shows can be filtered and sorted by. */
const queryOf = (model: ResourceModel, { name, type }: ModelField, list: boolean): JsonObject => {
  const listed = list && model.views.list.includes(name);
  return {
    operators: listed ? [...type.operators] : [],
    sortable: listed && type.sortable,
    searchable: listed && type.searchable,
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
  return {
    name: field.name,
    label: labelText(field.label, locale),
    type: field.kind,
    required: field.required,
    unique: field.unique,
    read_only: !writes.has(field.name),
    ...(options.default === undefined ? {} : { default: options.default }),
    ...(choices === undefined ? {} : { choices: choices.map((choice) => ({ ...choice })) }),
    ...(Object.keys(bounds).length === 0 ? {} : { bounds }),
    ...(field.reference === undefined ? {} : { reference: field.reference }),
    ...queryOf(model, field, access.actions.list),
  };
};

/** A text that is emptied in a form becomes null where null is allowed; left to itself the form would send nothing. */
const uiOf = (field: ModelField): JsonObject => {
  const widget = field.type.widget?.(field.options);
  return {
    ...(widget === undefined ? {} : { 'ui:widget': widget }),
    ...(field.required ? {} : { 'ui:emptyValue': null }),
  };
};

/** uiSchema of react-jsonschema-form: mirrors the fields of both forms. */
const uiSchemaOf = (fields: readonly ModelField[]): JsonObject => {
  const entries = fields.map((field): [string, Json] => [field.name, uiOf(field)]);
  return { 'ui:order': fields.map(({ name }) => name), ...Object.fromEntries(entries) };
};

/** Fields whose writing has an effect for the caller. */
const effective = (model: ResourceModel, { actions, writable }: Access): ReadonlySet<string> =>
  new Set(actions.create || actions.update ? writableFields(model, writable).map(({ name }) => name) : []);

/** The schema of what the caller reads of one record: detail, else what the list shows. */
const readView = ({ actions }: Access): View => (actions.detail || !actions.list ? 'detail' : 'list');

/** Metadata of a model for one caller: all that a front end needs to render lists and forms. */
export const describeModel = (
  model: ResourceModel,
  access: Access,
  endpoints: readonly EndpointSummary[],
  locale: Locale,
): JsonObject => {
  const writes = effective(model, access);
  const fields = [...model.fields.values()].filter((field) => isVisible(model, field, writes));
  const schemas: Record<'create' | 'update' | 'read', JsonSchema> = {
    create: inputSchema(model, 'create', writes, locale),
    update: inputSchema(model, 'update', writes, locale),
    read: outputSchema(model, readView(access), locale),
  };
  return {
    model: model.name,
    singular: model.singular,
    plural: model.plural,
    label: labelText(model.label, locale),
    endpoints: endpoints.map(({ action, method, path, authentication }) => ({
      action,
      method,
      path,
      authentication: [...authentication],
    })),
    fields: fields.map((field) => describeField(model, field, access, writes, locale)),
    schemas,
    uiSchema: uiSchemaOf(writableFields(model, writes)),
    permissions: { ...access.actions },
  };
};
