import AddIcon from '@mui/icons-material/AddOutlined';
import TrashIcon from '@mui/icons-material/RestoreFromTrashOutlined';
import { useParams } from 'react-router';
import { filtersOf } from '../parts/filter-field.ts';
import { LinkButton } from '../parts/link.tsx';
import { RecordListPage } from '../parts/record-list-page.tsx';
import { recordsPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { trashPath } from '../trash/trashed.ts';
import { useColumns } from './columns.tsx';
import type { Metadata } from './metadata.ts';
import { type AnyRecord, recordName } from './record.ts';
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
  const { model, label, fields, permissions, events, trash } = metadata;
  const columns = useColumns(metadata, path);
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
      followed={events === true ? model : undefined}
      {...(trash === true ? { trash: path } : {})}
      actions={
        <>
          {trash === true ? (
            <LinkButton to={trashPath(path)} startIcon={<TrashIcon />}>
              {text('trash.link')}
            </LinkButton>
          ) : null}
          {permissions.create ? (
            <LinkButton to={`/records/${path}/create`} variant="contained" startIcon={<AddIcon />}>
              {text('records.create', { label })}
            </LinkButton>
          ) : null}
        </>
      }
    />
  );
};
