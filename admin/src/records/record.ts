import { displayFields, displayName } from '../../../src/model/display.ts';
import { traitsOf } from './field-kinds.ts';
import type { Metadata, MetadataField } from './metadata.ts';

/** A record of any resource. */
export interface AnyRecord {
  readonly id: number;
  readonly [field: string]: unknown;
}

/** Name of the service's users as the target of a reference. */
export const userModel = 'User';

/** Template of the name of a user. */
export const userDisplay = '{username}';

/** The first text field in the template of names: the column of names and searches use it. */
export const namingField = ({ display = '', fields }: Metadata): MetadataField | undefined =>
  displayFields(display)
    .map((name) => fields.find((field) => field.name === name))
    .find((field) => field !== undefined && traitsOf(field).naming === true);

/** Fields in the template of names. */
export const nameFields = ({ display = '', fields }: Metadata): readonly string[] =>
  displayFields(display).filter((name) => fields.some((field) => field.name === name));

/** The name of a record by the template of its model; its id if that is empty. */
export const recordName = ({ display }: { readonly display?: string | null }, record: AnyRecord): string =>
  displayName(display ?? '', record) ?? `#${record.id}`;

/** Maximum number of columns beside the id. */
const maxColumns = 6;

/** Maximum number of states that come before other fields, wherever they are declared. */
const maxStates = 2;

/**
 * Fields of a list, in the order of the model: the first short ones except `without`, among them the states of a
 * record, and its creation time.
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

export const defaultsOf = ({ fields }: Metadata): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    fields.flatMap((field) =>
      field.read_only || field.default === undefined ? [] : [[field.name, field.default]],
    ),
  );
