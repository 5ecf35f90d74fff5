import { Link } from '../parts/link.tsx';
import type { Column } from '../parts/record-table.tsx';
import { useText } from '../texts/provider.ts';
import { FieldValue } from './field-value.tsx';
import type { Metadata } from './metadata.ts';
import { type AnyRecord, listedFields } from './record.ts';

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
  const { label, fields } = metadata;
  return [
    {
      name: 'id',
      label: fields.find(({ name }) => name === 'id')?.label ?? 'id',
      render: ({ id }) => (
        <Link to={`/records/${path}/${id}/show`} label={text('records.open', { label, id })}>
          {id}
        </Link>
      ),
    },
    ...listedFields(metadata, without).map(
      (field): Column<AnyRecord> => ({
        name: field.name,
        label: field.label,
        sortable: field.sortable,
        align: ['integer', 'number', 'decimal'].includes(field.type) ? 'right' : 'left',
        wide: field.name === 'created_at',
        render: (record) => <FieldValue field={field} value={record[field.name]} />,
      }),
    ),
  ];
};
