import type { Metadata, MetadataField } from './metadata.ts';

/** A record of any resource. */
export interface AnyRecord {
  readonly id: number;
  readonly [field: string]: unknown;
}

/** Name of the users of the service among the models that a field can refer to. */
export const userModel = 'User';

/** The field by which a person knows a record: the first short text, else its id. */
const namingField = ({ fields }: Metadata): MetadataField | undefined =>
  fields.find(({ type }) => type === 'string') ?? fields.find(({ type }) => type === 'email');

export const recordName = (metadata: Metadata, record: AnyRecord): string => {
  const field = namingField(metadata);
  const value = field === undefined ? undefined : record[field.name];
  return typeof value === 'string' && value !== '' ? value : `#${record.id}`;
};

/** Fields that say too much for a table. */
const long: ReadonlySet<string> = new Set(['text', 'json']);

/** Columns of a list beside the id. */
const maxColumns = 6;

/** Fields that a list shows: the short ones in their order but `without`, and when the record was made. */
export const listedFields = ({ fields }: Metadata, without?: string): MetadataField[] => {
  const own = fields.filter(
    ({ name, type }) => !long.has(type) && !['id', 'created_at', 'updated_at', without].includes(name),
  );
  const made = fields.filter(({ name }) => name === 'created_at');
  return [...own.slice(0, maxColumns - 1), ...made];
};
