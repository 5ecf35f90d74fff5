import AddIcon from '@mui/icons-material/AddOutlined';
import { useParams } from 'react-router';
import { filtersOf } from '../parts/filter-field.ts';
import { Link, LinkButton } from '../parts/link.tsx';
import { RecordListPage } from '../parts/record-list-page.tsx';
import type { Column } from '../parts/record-table.tsx';
import { recordsPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { FieldValue } from './field-value.tsx';
import type { Metadata } from './metadata.ts';
import { type AnyRecord, listedFields, recordName } from './record.ts';
import { WithMetadata } from './with-metadata.tsx';

/** The records of whatever resource the address names. */
export const RecordList = () => {
  const { path = '' } = useParams();
  return (
    <WithMetadata key={path} path={path}>
      {(metadata) => <RecordsOf metadata={metadata} path={path} />}
    </WithMetadata>
  );
};

const RecordsOf = ({ metadata, path }: { readonly metadata: Metadata; readonly path: string }) => {
  const text = useText();
  const { label, fields, permissions } = metadata;
  const columns: Column<AnyRecord>[] = [
    {
      name: 'id',
      label: fields.find(({ name }) => name === 'id')?.label ?? 'id',
      render: ({ id }) => (
        <Link to={`/records/${path}/${id}/show`} label={text('records.open', { label, id })}>
          {id}
        </Link>
      ),
    },
    ...listedFields(metadata).map(
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
  return (
    <RecordListPage<AnyRecord>
      resource={recordsPrefix + path}
      title={label}
      columns={columns}
      filters={filtersOf(fields)}
      searchable={fields.some(({ searchable }) => searchable)}
      empty={text('records.empty', { label })}
      {...(permissions.destroy
        ? { deletable: (record: AnyRecord) => `#${record.id} ${recordName(metadata, record)}` }
        : {})}
      actions={
        permissions.create ? (
          <LinkButton to={`/records/${path}/create`} variant="contained" startIcon={<AddIcon />}>
            {text('records.create', { label })}
          </LinkButton>
        ) : null
      }
    />
  );
};
