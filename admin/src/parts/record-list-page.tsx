import Alert from '@mui/material/Alert';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import type { ReactNode } from 'react';
import { type FilterPayload, ListBase, type RaRecord, type SortPayload, useListContext } from 'react-admin';
import { Followed } from '../live/followed.tsx';
import { useLanguage, useText } from '../texts/provider.ts';
import { BulkDelete } from './bulk-delete.tsx';
import { Export } from './export.tsx';
import { FilterBar } from './filter-bar.tsx';
import type { FilterField } from './filter-field.ts';
import { Page } from './page.tsx';
import { Pages } from './pages.tsx';
import { sentenceOf } from './problem.ts';
import { type Column, RecordTable } from './record-table.tsx';

interface RecordListPageProps<Item extends RaRecord> {
  readonly resource: string;
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly columns: readonly Column<Item>[];
  readonly filters: readonly FilterField[];
  /** Whether free text can be looked for. */
  readonly searchable?: boolean;
  readonly sort?: SortPayload;
  /** Always applied, and not shown. */
  readonly filter?: FilterPayload;
  readonly empty: string;
  /** Several can be deleted at once: what one of them is called. */
  readonly deletable?: (record: Item) => string;
  /** Name of the model whose changes the list can follow along. */
  readonly followed?: string | undefined;
  /** Path of the resource where what is deleted can be brought back. */
  readonly trash?: string;
  readonly exportable?: boolean;
}

const standardSort: SortPayload = { field: 'id', order: 'DESC' };

/** A list with search, filters, sort, export and pages; where it stands is in the address, so it can be linked to. */
export const RecordListPage = <Item extends RaRecord>(props: RecordListPageProps<Item>) => {
  const { resource, title, lead, actions, sort = standardSort, filter, exportable = true } = props;
  return (
    <ListBase
      resource={resource}
      sort={sort}
      perPage={25}
      disableAuthentication
      exporter={false}
      {...(filter === undefined ? {} : { filter })}
    >
      <Page
        title={title}
        {...(lead === undefined ? {} : { lead })}
        actions={
          <>
            {exportable ? <Export name={resource} /> : null}
            {actions}
          </>
        }
      >
        <Content {...props} />
      </Page>
    </ListBase>
  );
};

const Content = <Item extends RaRecord>({
  title,
  columns,
  filters,
  searchable = true,
  empty,
  deletable,
  trash,
  followed,
}: RecordListPageProps<Item>) => {
  const { error } = useListContext<Item>();
  const language = useLanguage();
  const text = useText();
  return (
    <Stack sx={{ gap: 1.5 }}>
      <FilterBar fields={filters} searchable={searchable} />
      <Followed model={followed}>
        {deletable === undefined ? null : <BulkDelete nameOf={deletable} trash={trash} />}
        {error ? (
          <Alert severity="error">{sentenceOf(error, language, text)}</Alert>
        ) : (
          <Paper variant="outlined" sx={{ overflow: 'hidden' }}>
            <RecordTable<Item> label={title} columns={columns} empty={empty} nameOf={deletable} />
            <Pages />
          </Paper>
        )}
      </Followed>
    </Stack>
  );
};
