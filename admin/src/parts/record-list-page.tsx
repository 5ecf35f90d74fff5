import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { type FilterPayload, ListBase, type RaRecord, type SortPayload } from 'ra-core';
import { lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { Followed } from '../live/followed.tsx';
import { useText } from '../texts/provider.ts';
import { BulkBar } from './bulk-bar.tsx';
import { BulkDelete, type Deleting } from './bulk-delete.tsx';
import { type Column, shownColumns } from './column.ts';
import { Export } from './export.tsx';
import { saidInPlace } from './failed.tsx';
import { FilterBar } from './filter-bar.tsx';
import type { FilterField } from './filter-field.ts';
import { Icon } from './icon.tsx';
import { useChosenColumns } from './list-look.ts';
import { Listed } from './listed.tsx';
import { Page } from './page.tsx';
import { UngrantedButton } from './ungranted.tsx';
import type { ViewChoice } from './view-options.tsx';

const SavedViews = lazy(() =>
  import('./saved-views.tsx').then(({ SavedViews: part }) => ({ default: part })),
);

interface RecordListPageProps<Item extends RaRecord> {
  readonly resource: string;
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly columns: readonly Column<Item>[];
  readonly filters: readonly FilterField[];
  /** Where a click on a row leads; one of the columns has the link for it. */
  readonly to?: (record: Item) => string;
  /** Whether free text can be looked for. */
  readonly searchable?: boolean;
  readonly sort?: SortPayload;
  /** Always applied, and not shown. */
  readonly filter?: FilterPayload;
  readonly empty: string;
  /** Several can be deleted at once: what one of them is called. */
  readonly deletable?: (record: Item) => string;
  readonly deleting?: Deleting;
  /** The name of one of them, where several can be chosen for `bulkActions`. */
  readonly nameOf?: (record: Item) => string;
  /** Actions on those that are chosen, besides deleting them. */
  readonly bulkActions?: ReactNode;
  /** Name of the model whose changes the list can follow along. */
  readonly followed?: string | undefined;
  /** Path of the resource where what is deleted can be brought back. */
  readonly trash?: string;
  readonly exportable?: boolean;
  /** The name of the records, where the signed-in user may not read them. */
  readonly unread?: string;
}

const standardSort: SortPayload = { field: 'id', order: 'DESC' };

/** A list with search, filters, sort, export and pages; where it stands is in the address, so it can be linked to. */
export const RecordListPage = <Item extends RaRecord>(props: RecordListPageProps<Item>) => {
  const { resource, title, lead, actions, sort = standardSort, filter, exportable = true, unread } = props;
  const text = useText();
  return (
    <ListBase
      resource={resource}
      sort={sort}
      perPage={25}
      disableAuthentication
      exporter={false}
      queryOptions={saidInPlace}
      {...(filter === undefined ? {} : { filter })}
    >
      <Page
        title={title}
        {...(lead === undefined ? {} : { lead })}
        actions={
          <>
            {unread === undefined ? null : (
              <UngrantedButton action="export" label={unread}>
                {text('list.export')}
              </UngrantedButton>
            )}
            {exportable && unread === undefined ? <Export name={resource} /> : null}
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
  resource,
  title,
  columns,
  to,
  sort = standardSort,
  filters,
  searchable = true,
  empty,
  deletable,
  deleting,
  nameOf,
  bulkActions,
  trash,
  followed,
}: RecordListPageProps<Item>) => {
  const [chosen, choose] = useChosenColumns(resource);
  const shown = shownColumns(columns, chosen);
  const choosable = bulkActions === undefined ? deletable : (nameOf ?? deletable);
  return (
    <Stack sx={{ gap: 1.5 }}>
      <Suspense fallback={null}>
        <SavedViews usual={sort} chosen={chosen} onChoose={choose} />
      </Suspense>
      <Stack direction="row" sx={{ gap: 1, alignItems: 'flex-start' }}>
        <Box sx={{ flex: 1, minWidth: 0 }}>
          <FilterBar fields={filters} searchable={searchable} />
        </Box>
        <ViewButton columns={columns} chosen={chosen} onChoose={choose} />
      </Stack>
      <Followed model={followed}>
        {choosable === undefined ? null : (
          <BulkBar>
            {bulkActions}
            {deletable === undefined ? null : (
              <BulkDelete nameOf={deletable} trash={trash} deleting={deleting} />
            )}
          </BulkBar>
        )}
        <Listed<Item> label={title} columns={shown} empty={empty} nameOf={choosable} to={to} />
      </Followed>
    </Stack>
  );
};

const ViewOptions = lazy(() =>
  import('./view-options.tsx').then(({ ViewOptions: part }) => ({ default: part })),
);

/** Opens the choice of columns and density. */
export const ViewButton = (props: ViewChoice) => {
  const text = useText();
  const id = useId();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <Button
        startIcon={<Icon name="columns" />}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        aria-controls={anchor === null ? undefined : id}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {text('list.view')}
      </Button>
      {anchor === null ? null : (
        <Suspense fallback={null}>
          <ViewOptions {...props} id={id} anchor={anchor} onClose={() => setAnchor(null)} />
        </Suspense>
      )}
    </>
  );
};
