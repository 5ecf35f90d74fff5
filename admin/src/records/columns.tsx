import type { RaRecord } from 'ra-core';
import { Link } from '../parts/link.tsx';
import type { Column } from '../parts/record-table.tsx';
import { type Text, useText } from '../texts/provider.ts';
import { FieldValue } from './field-value.tsx';
import type { ListedField, Metadata } from './metadata.ts';
import { type AnyRecord, listedFields } from './record.ts';

const numbers: readonly string[] = ['integer', 'number', 'decimal'];

const idColumn = ({ label, fields }: Metadata, path: string, text: Text): Column<AnyRecord> => ({
  name: 'id',
  label: fields.find(({ name }) => name === 'id')?.label ?? 'id',
  fixed: true,
  render: ({ id }) => (
    <Link to={`/records/${path}/${id}/show`} label={text('records.open', { label, id })}>
      {id}
    </Link>
  ),
});

/** A field's own value, as every list of records shows it, or `whole`, as the page of a record does. */
export const fieldColumn = <Item extends RaRecord = AnyRecord>(
  field: ListedField,
  whole = false,
): Column<Item> => ({
  name: field.name,
  label: field.label,
  sortable: field.sortable,
  align: numbers.includes(field.type) ? 'right' : 'left',
  wide: field.name === 'created_at',
  render: (record) => <FieldValue field={field} value={record[field.name]} whole={whole} />,
});

/**
 * Columns of a list of records: the id, which leads to the record, and the short fields. `without`: the field that is the
 * same in all of them.
 */
export const useColumns = (
  metadata: Metadata,
  path: string,
  without?: string,
): readonly Column<AnyRecord>[] => {
  const text = useText();
  return [
    idColumn(metadata, path, text),
    ...listedFields(metadata, without).map((field) => fieldColumn(field)),
  ];
};

/** A column for every field; those that a list does not show by itself are there to be chosen. */
export const useEveryColumn = (metadata: Metadata, path: string): readonly Column<AnyRecord>[] => {
  const text = useText();
  const usual = listedFields(metadata);
  const others = metadata.fields.filter((field) => field.name !== 'id' && !usual.includes(field));
  return [
    idColumn(metadata, path, text),
    ...usual.map((field) => fieldColumn(field)),
    ...others.map((field) => ({ ...fieldColumn(field), extra: true })),
  ];
};
