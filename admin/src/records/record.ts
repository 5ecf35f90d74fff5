import { displayFields, displayName } from '../../../src/model/display.ts';
import { traitsOf } from './field-kinds.ts';
import type { Metadata, MetadataField } from './metadata.ts';

/** The id of a record: a number, or a text where the key of its model is another one. */
export type RecordId = number | string;

/** The id in an address. */
export const idFrom = (text: string): RecordId => {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : text;
};

/** The id in a text, as a body has it: texts of digits are no numbers where the schema of the field takes texts. */
export const idForField = ({ schemas }: Pick<Metadata, 'schemas'>, field: string, text: string): RecordId => {
  const { type } = (schemas.create.properties?.[field] ?? {}) as {
    readonly type?: string | readonly string[];
  };
  return type === undefined || [type].flat().includes('integer') ? idFrom(text) : text;
};

/** The id in a value of a record; null where there is none. */
export const idIn = (value: unknown): RecordId | null =>
  typeof value === 'number' || typeof value === 'string' ? value : null;

/** A record of any resource. */
export interface AnyRecord {
  readonly id: RecordId;
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
