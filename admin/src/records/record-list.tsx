/** The page of a resource: the list of its records. */

import Button from '@mui/material/Button';
import { useListContext } from 'ra-core';
import { lazy, Suspense, useState } from 'react';
import { useParams } from 'react-router';
import { filtersOf } from '../parts/filter-field.ts';
import { Icon } from '../parts/icon.tsx';
import { LinkButton } from '../parts/link.tsx';
import { RecordListPage } from '../parts/record-list-page.tsx';
import { UngrantedButton, UngrantedPage } from '../parts/ungranted.tsx';
import { recordsPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { trashPath } from '../trash/trashed.ts';
import { useEveryColumn } from './columns.tsx';
import type { Metadata } from './metadata.ts';
import { namesOfReferences } from './named-records.ts';
import { type AnyRecord, recordName } from './record.ts';
import { WithMetadata } from './with-metadata.tsx';

/** The list of the resource in the address. */
export const RecordList = () => {
  const { path = '' } = useParams();
  return (
    <WithMetadata key={path} path={path}>
      {(metadata) =>
        metadata.permissions.list ? (
          <RecordsOf metadata={metadata} path={path} />
        ) : (
          <UngrantedPage title={metadata.plural_label} label={metadata.plural_label} action="read" />
        )
      }
    </WithMetadata>
  );
};

const RecordsOf = ({ metadata, path }: { readonly metadata: Metadata; readonly path: string }) => {
  const text = useText();
  const { model, label, plural_label: labels, fields, permissions, events, trash } = metadata;
  const columns = useEveryColumn(metadata, path);
  const nameOf = (record: AnyRecord): string => `#${record.id} ${recordName(metadata, record)}`;
  return (
    <RecordListPage<AnyRecord>
      resource={recordsPrefix + path}
      title={labels}
      columns={columns}
      to={({ id }) => `/records/${path}/${encodeURIComponent(id)}/show`}
      filters={filtersOf(fields)}
      searchable={fields.some(({ searchable }) => searchable)}
      empty={text('records.empty', { labels })}
      nameOf={nameOf}
      deletable={permissions.destroy ? nameOf : undefined}
      bulkActions={
        <>
          {permissions.update ? (
            <BulkEdit metadata={metadata} path={path} />
          ) : (
            <UngrantedButton action="update" label={labels}>
              {text('bulk.edit')}
            </UngrantedButton>
          )}
          {permissions.destroy ? null : (
            <UngrantedButton action="destroy" label={labels}>
              {text('common.delete')}
            </UngrantedButton>
          )}
        </>
      }
      exportedAs={
        fields.some(({ reference }) => reference !== undefined)
          ? {
              rows: namesOfReferences(metadata),
              heading: (name) => fields.find((each) => each.name === name)?.label ?? name,
            }
          : undefined
      }
      followed={events === true ? model : undefined}
      trash={trash === true ? path : undefined}
      more={[
        ...(permissions.create ? [{ label: text('records.import'), to: `/records/${path}/import` }] : []),
        ...(trash === true ? [{ label: text('trash.link'), to: trashPath(path) }] : []),
      ]}
      actions={
        permissions.create ? (
          <LinkButton to={`/records/${path}/create`} variant="contained" shortcut="c">
            {text('records.create', { label })}
          </LinkButton>
        ) : (
          <UngrantedButton action="create" label={labels}>
            {text('records.create', { label })}
          </UngrantedButton>
        )
      }
      emptyAction={
        permissions.create ? (
          <LinkButton to={`/records/${path}/create`} variant="outlined">
            {text('records.createFirst')}
          </LinkButton>
        ) : undefined
      }
    />
  );
};

const BulkForm = lazy(() => import('./bulk-form.tsx').then(({ BulkForm: part }) => ({ default: part })));

/** Changes fields of all selected records. */
export const BulkEdit = ({ metadata, path }: { readonly metadata: Metadata; readonly path: string }) => {
  const { selectedIds = [], onSelect, onUnselectItems, refetch } = useListContext<AnyRecord>();
  const text = useText();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="outlined" startIcon={<Icon name="pencil" />} onClick={() => setOpen(true)}>
        {text('bulk.edit')}
      </Button>
      {open ? (
        <Suspense fallback={null}>
          <BulkForm
            metadata={metadata}
            path={path}
            ids={selectedIds.map(Number)}
            onClose={() => setOpen(false)}
            onChoose={(ids) => onSelect([...ids])}
            onDone={() => {
              setOpen(false);
              onUnselectItems();
              void refetch();
            }}
          />
        </Suspense>
      ) : null}
    </>
  );
};
