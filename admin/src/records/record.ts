import { displayFields, displayName } from '../../../src/model/display.ts';
import { traitsOf } from './field-kinds.ts';
import type { Metadata, MetadataField } from './metadata.ts';

/** A record of any resource. */
export interface AnyRecord {
  readonly id: number;
  readonly [field: string]: unknown;
}

/** Name of the users of the service among the models that a field can refer to. */
export const userModel = 'User';

/** Template of the name of a user. */
export const userDisplay = '{username}';

/** The first text field in the name of a record: columns and searches by name go by it. */
export const namingField = ({ display = '', fields }: Metadata): MetadataField | undefined =>
  displayFields(display)
    .map((name) => fields.find((field) => field.name === name))
    .find((field) => field !== undefined && traitsOf(field).naming === true);

/** Fields that the name of a record consists of. */
export const nameFields = ({ display = '', fields }: Metadata): readonly string[] =>
  displayFields(display).filter((name) => fields.some((field) => field.name === name));

/** The name of a record by the template of its model; its number where that is empty. */
export const recordName = ({ display }: { readonly display?: string | null }, record: AnyRecord): string =>
  displayName(display ?? '', record) ?? `#${record.id}`;

/** Columns of a list beside the id. */
const maxColumns = 6;

/** States that come before other fields, wherever they are declared. */
const maxStates = 2;

/**
 * Fields that a list shows: the first short ones but `without`, with those that say where a record stands among them, and
 * when the record was made; in the order of the model.
 */
export const listedFields = ({ fields }: Metadata, without?: string): MetadataField[] => {
  const own = fields.filter(
    (field) =>
      traitsOf(field).long !== true && !['id', 'created_at', 'updated_at', without].includes(field.name),
  );
  const made = fields.filter(({ name }) => name === 'created_at');
  const first = own.filter((field) => traitsOf(field).state === true).slice(0, maxStates);
  const others = own.filter((field) => !first.includes(field)).slice(0, maxColumns - 1 - first.length);
  return [...own.filter((field) => first.includes(field) || others.includes(field)), ...made];
};

/** The initial values of a new record. */
export const defaultsOf = ({ fields }: Metadata): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    fields.flatMap((field) =>
      field.read_only || field.default === undefined ? [] : [[field.name, field.default]],
    ),
  );
