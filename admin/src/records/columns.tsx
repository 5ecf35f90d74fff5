/** The columns of lists of records, from their metadata. */

import type { RaRecord } from 'ra-core';
import { Link } from '../parts/link.tsx';
import type { Column } from '../parts/record-table.tsx';
import { type Text, useText } from '../texts/provider.ts';
import { traitsOf } from './field-kinds.ts';
import { FieldValue } from './field-value.tsx';
import type { ListedField, Metadata, MetadataField } from './metadata.ts';
import { type AnyRecord, listedFields, nameFields, namingField, recordName } from './record.ts';

const idLabel = ({ fields }: Metadata): string => fields.find(({ name }) => name === 'id')?.label ?? 'id';

/**
 * The heading of the column of names: the label of the naming field, of the model if there are several, of the id if
 * there is none.
 */
const nameLabel = (metadata: Metadata): string => {
  const names = nameFields(metadata);
  const fields = metadata.fields.filter(({ name }) => names.includes(name));
  const naming = namingField(metadata) ?? (fields.length === 1 ? fields[0] : undefined);
  return naming?.label ?? (fields.length === 0 ? idLabel(metadata) : metadata.label);
};

/** The name of a record with a link to it: the first column of every list of records. */
const nameColumn = (metadata: Metadata, path: string, text: Text): Column<AnyRecord> => {
  const field = namingField(metadata);
  return {
    name: field?.name ?? 'id',
    label: nameLabel(metadata),
    sortable: field?.sortable ?? true,
    fixed: true,
    names: true,
    render: (record) => {
      const name = recordName(metadata, record);
      const { id } = record;
      const label = name === `#${id}` ? text('records.open', { label: metadata.label, id }) : undefined;
      return (
        <Link to={`/records/${path}/${encodeURIComponent(id)}/show`} label={label}>
          {name}
        </Link>
      );
    },
  };
};

/** A column of the id if it is not the name; hidden at first. */
const idColumns = (metadata: Metadata): readonly Column<AnyRecord>[] =>
  namingField(metadata) === undefined
    ? []
    : [{ name: 'id', label: idLabel(metadata), extra: true, align: 'right', render: ({ id }) => id }];

/** The value of a field, as every list of records shows it; with `whole`, as the page of a record does. */
export const fieldColumn = <Item extends RaRecord = AnyRecord>(
  field: ListedField,
  whole = false,
): Column<Item> => ({
  name: field.name,
  label: field.label,
  sortable: field.sortable,
  align: traitsOf(field).align ?? 'left',
  wide: field.name === 'created_at',
  held: field.reference !== undefined,
  bare: traitsOf(field).bare ?? false,
  render: (record) => <FieldValue field={field} value={record[field.name]} whole={whole} />,
});

/** Fields except the naming one. */
const withoutNaming = (metadata: Metadata, fields: readonly MetadataField[]): readonly MetadataField[] => {
  const naming = namingField(metadata)?.name;
  return fields.filter(({ name }) => name !== naming);
};

/**
 * Columns of a list of records: the name with its link, and the short fields. `without` is a field with the same value
 * in all of them.
 */
export const useColumns = (
  metadata: Metadata,
  path: string,
  without?: string,
): readonly Column<AnyRecord>[] => {
  const text = useText();
  return [
    nameColumn(metadata, path, text),
    ...withoutNaming(metadata, listedFields(metadata, without)).map((field) => fieldColumn(field)),
  ];
};

/** A column for every field; those beyond the usual ones are hidden at first. */
export const useEveryColumn = (metadata: Metadata, path: string): readonly Column<AnyRecord>[] => {
  const text = useText();
  const usual = withoutNaming(metadata, listedFields(metadata));
  const others = withoutNaming(metadata, metadata.fields).filter(
    (field) => field.name !== 'id' && !usual.includes(field),
  );
  return [
    nameColumn(metadata, path, text),
    ...usual.map((field) => fieldColumn(field)),
    ...idColumns(metadata),
    ...others.map((field) => ({ ...fieldColumn(field), extra: true })),
  ];
};
