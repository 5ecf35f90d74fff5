/** The page of deleted records of a resource. */

import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { ListBase, useListContext } from 'ra-core';
import { useParams } from 'react-router';
import { Actor } from '../history/actor.tsx';
import { PageNotFound } from '../layout/not-found.tsx';
import { FloatingBar } from '../parts/bulk-bar.tsx';
import type { Column } from '../parts/column.ts';
import { failureShownHere } from '../parts/failed.tsx';
import { Icon } from '../parts/icon.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { UngrantedNotice } from '../parts/ungranted.tsx';
import { useColumns as useRecordColumns } from '../records/columns.tsx';
import type { Metadata } from '../records/metadata.ts';
import { recordName } from '../records/record.ts';
import { WithMetadata } from '../records/with-metadata.tsx';
import { trashPrefix } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { Remaining } from './deleted-by.tsx';
import { Refusals } from './refusals.tsx';
import type { TrashedRecord } from './trashed.ts';
import { useRestore } from './undo.tsx';

/** The deleted records of a resource that can be restored, latest deletion first. */
export const Trash = () => {
  const { path = '' } = useParams();
  return (
    <WithMetadata key={path} path={path}>
      {(metadata) => (metadata.trash ? <TrashOf metadata={metadata} path={path} /> : <PageNotFound />)}
    </WithMetadata>
  );
};

interface TrashProps {
  readonly metadata: Metadata;
  readonly path: string;
}

const TrashOf = ({ metadata, path }: TrashProps) => {
  const text = useText();
  return (
    <ListBase
      resource={trashPrefix + path}
      perPage={25}
      // The order of the service: there is no other.
      sort={{ field: 'deleted_at', order: 'DESC' }}
      disableAuthentication
      exporter={false}
      queryOptions={failureShownHere}
    >
      <Page
        title={text('trash.link')}
        lead={text('trash.lead')}
        within={{ to: `/records/${path}`, label: metadata.plural_label }}
      >
        <Content metadata={metadata} path={path} />
      </Page>
    </ListBase>
  );
};

/** Number of columns of the record: its name and two others. */
const ownColumns = 3;

const useTrashColumns = ({ metadata, path }: TrashProps): readonly Column<TrashedRecord>[] => {
  const text = useText();
  const own = useRecordColumns(metadata, path).slice(0, ownColumns);
  return [
    ...own.map((column): Column<TrashedRecord> => ({ ...column, sortable: false })),
    {
      name: 'deleted_by',
      label: text('trash.by'),
      sortable: false,
      render: ({ deleted_by }) => <Actor actor={deleted_by} />,
    },
    {
      name: 'deleted_at',
      label: text('trash.at'),
      sortable: false,
      render: ({ deleted_at }) => <RelativeTime value={deleted_at} />,
    },
    {
      name: 'kept_until',
      label: text('trash.until'),
      sortable: false,
      render: ({ kept_until }) => <Remaining until={kept_until} />,
    },
  ];
};

const Content = ({ metadata, path }: TrashProps) => {
  const text = useText();
  const { data = [], selectedIds = [], onUnselectItems } = useListContext<TrashedRecord>();
  const { busy, refused, bringBack } = useRestore(path);
  const own = useTrashColumns({ metadata, path });
  const isRestorer = metadata.permissions.create;
  const nameOf = (record: TrashedRecord): string => `#${record.id} ${recordName(metadata, record)}`;
  const nameOfId = (id: number): string => {
    const record = data.find((each) => each.id === id);
    return record === undefined ? `#${id}` : nameOf(record);
  };
  const restore: Column<TrashedRecord> = {
    name: 'restore',
    acts: true,
    label: text('common.actions'),
    sortable: false,
    render: (record) => (
      <Button
        size="small"
        loading={busy.includes(record.id)}
        onClick={() => void bringBack([record.id])}
        aria-label={`${text('trash.restore')} ${nameOf(record)}`}
      >
        {text('trash.restore')}
      </Button>
    ),
  };
  return (
    <Stack sx={{ gap: 1.5 }}>
      {selectedIds.length === 0 ? null : (
        <FloatingBar>
          <Typography role="status" sx={{ px: 1, fontWeight: 500 }}>
            {text('list.chosen', { count: selectedIds.length })}
          </Typography>
          <Button onClick={() => onUnselectItems()}>{text('list.unchoose')}</Button>
          <Button
            variant="contained"
            startIcon={<Icon name="restore" />}
            loading={busy.length > 0}
            onClick={() => void bringBack(selectedIds.map(Number)).then(() => onUnselectItems())}
          >
            {text('trash.restore')}
          </Button>
        </FloatingBar>
      )}
      {isRestorer || data.length === 0 ? null : (
        <UngrantedNotice action="bringBack" label={metadata.plural_label} />
      )}
      <Refusals refused={refused} nameOf={nameOfId} />
      <Listed<TrashedRecord>
        label={text('trash.title', { labels: metadata.plural_label })}
        columns={isRestorer ? [...own, restore] : own}
        empty={text('trash.empty')}
        nameOf={isRestorer ? nameOf : undefined}
      />
    </Stack>
  );
};
