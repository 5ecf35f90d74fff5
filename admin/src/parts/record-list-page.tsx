/** A page with a list: search, filters, views, actions and pagination. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { type FilterPayload, ListBase, type RaRecord, type SortPayload, useListContext } from 'ra-core';
import { lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { Followed } from '../live/followed.tsx';
import { useLanguage, useText } from '../texts/provider.ts';
import { BulkBar } from './bulk-bar.tsx';
import { BulkDelete, type Deleting } from './bulk-delete.tsx';
import { type Column, shownColumns } from './column.ts';
import { Export, type ExportedAs, useExport } from './export.tsx';
import { failureShownHere } from './failed.tsx';
import { FilterBar } from './filter-bar.tsx';
import type { FilterField } from './filter-field.ts';
import { Icon } from './icon.tsx';
import { useChosenColumns } from './list-look.ts';
import { Listed } from './listed.tsx';
import { type MoreItem, MoreMenu } from './more-menu.tsx';
import { Page } from './page.tsx';
import { SavedViews } from './saved-views.tsx';
import type { ViewChoice } from './view-options.tsx';

const ViewOptions = lazy(() =>
  import('./view-options.tsx').then(({ ViewOptions: part }) => ({ default: part })),
);

interface RecordListPageProps<Item extends RaRecord> {
  readonly resource: string;
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** Further actions, behind "⋯". */
  readonly more?: readonly MoreItem[];
  readonly columns: readonly Column<Item>[];
  readonly filters: readonly FilterField[];
  /** Page that a click on a row opens; one of the columns has a link to it. */
  readonly to?: (record: Item) => string;
  /** True if the list has a free search. */
  readonly searchable?: boolean;
  readonly sort?: SortPayload;
  /** Always applied, and not shown. */
  readonly filter?: FilterPayload;
  readonly empty: string;
  /** Action of an empty list. */
  readonly emptyAction?: ReactNode;
  /** Name of a record, if several can be deleted at once. */
  readonly deletable?: ((record: Item) => string) | undefined;
  readonly deleting?: Deleting;
  /** Name of a record, if several can be selected for `bulkActions`. */
  readonly nameOf?: (record: Item) => string;
  /** Actions on selected records, besides deletion. */
  readonly bulkActions?: ReactNode;
  /** Name of the model, if the list can follow its changes. */
  readonly followed?: string | undefined;
  /** Path of the resource from which deleted records can be restored. */
  readonly trash?: string | undefined;
  readonly exportable?: boolean;
  /** Changes of exported records: names in place of ids. */
  readonly exportedAs?: ExportedAs | undefined;
  /** Elements below the list. */
  readonly children?: ReactNode;
}

const standardSort: SortPayload = { field: 'id', order: 'DESC' };

/** A list with search, filters, sort, export and pages. The address holds its state, so that it can be shared. */
export const RecordListPage = <Item extends RaRecord>(props: RecordListPageProps<Item>) => {
  const { resource, sort = standardSort, filter } = props;
  return (
    <ListBase
      resource={resource}
      sort={sort}
      perPage={25}
      disableAuthentication
      exporter={false}
      queryOptions={failureShownHere}
      {...(filter === undefined ? {} : { filter })}
    >
      <ListPage {...props} />
    </ListBase>
  );
};

/** The title with the number of records, saved views and actions; then one toolbar, and the list. */
const ListPage = <Item extends RaRecord>(props: RecordListPageProps<Item>) => {
  const { resource, title, lead, actions, more = [], sort = standardSort, exportable = true } = props;
  const text = useText();
  const language = useLanguage();
  const { total } = useListContext<Item>();
  const exporting = useExport(resource);
  const { exportedAs } = props;
  const named: readonly MoreItem[] =
    exportedAs === undefined || exporting.total === 0
      ? []
      : [{ label: text('list.exportNamed'), onClick: () => void exporting.run(exportedAs) }];
  const [chosen, choose] = useChosenColumns(resource);
  return (
    <Page
      wide
      title={title}
      count={total === undefined ? undefined : new Intl.NumberFormat(language).format(total)}
      beside={<SavedViews usual={sort} chosen={chosen} onChoose={choose} />}
      lead={lead}
      actions={
        <>
          {exportable ? <Export {...exporting} onExport={() => void exporting.run()} /> : null}
          <MoreMenu items={[...named, ...more]} />
          {actions}
        </>
      }
    >
      <Content {...props} chosen={chosen} choose={choose} />
      {props.children}
    </Page>
  );
};

type ContentProps<Item extends RaRecord> = RecordListPageProps<Item> & {
  readonly chosen: readonly string[] | undefined;
  readonly choose: (names: readonly string[] | undefined) => void;
};

const Content = <Item extends RaRecord>(props: ContentProps<Item>) => {
  const { title, columns, to, filters, searchable = true, empty, emptyAction, chosen, choose } = props;
  const { deletable, deleting, nameOf, bulkActions, trash, followed } = props;
  const shown = shownColumns(columns, chosen);
  const choosable = bulkActions === undefined ? deletable : (nameOf ?? deletable);
  // A list without search and filters is short and needs no selection of columns.
  const hasTools = searchable || filters.length > 0 || followed !== undefined;
  return (
    <Followed model={followed}>
      {(live) => (
        <Stack sx={{ gap: 1.5 }}>
          {hasTools ? (
            <Box className="toolbar" sx={toolbarStyle}>
              <Box sx={{ display: { xs: 'contents', sm: 'block' }, flex: '1 1 auto', minWidth: 0 }}>
                <FilterBar fields={filters} searchable={searchable} />
              </Box>
              <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', ml: 'auto' }}>
                {live}
                <ViewButton columns={columns} chosen={chosen} onChoose={choose} />
              </Box>
            </Box>
          ) : null}
          {choosable === undefined ? null : (
            <BulkBar>
              {bulkActions}
              {deletable === undefined ? null : (
                <BulkDelete nameOf={deletable} trash={trash} deleting={deleting} />
              )}
            </BulkBar>
          )}
          <Listed<Item>
            label={title}
            columns={shown}
            empty={empty}
            emptyAction={emptyAction}
            nameOf={choosable}
            to={to}
          />
        </Stack>
      )}
    </Followed>
  );
};

const toolbarStyle = { display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'flex-start' } as const;

/** Opens the selection of columns and density. */
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
