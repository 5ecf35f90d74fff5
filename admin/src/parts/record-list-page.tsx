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
import { saidInPlace } from './failed.tsx';
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
  /** The primary action. */
  readonly actions?: ReactNode;
  /** Further actions, behind "⋯". */
  readonly more?: readonly MoreItem[];
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
  /** The way to the first record, where there is none. */
  readonly emptyAction?: ReactNode;
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
  /** How records are saved for people: with names in place of ids. */
  readonly exportedAs?: ExportedAs | undefined;
  /** Stands below the list. */
  readonly children?: ReactNode;
}

const standardSort: SortPayload = { field: 'id', order: 'DESC' };

/** A list with search, filters, sort, export and pages; where it stands is in the address, so it can be linked to. */
export const RecordListPage = <Item extends RaRecord>(props: RecordListPageProps<Item>) => {
  const { resource, sort = standardSort, filter } = props;
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
      <ListPage {...props} />
    </ListBase>
  );
};

/** The title with the number of records, the saved views and the actions; beneath it one toolbar, and the list. */
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
      title={title}
      count={total === undefined ? undefined : new Intl.NumberFormat(language).format(total)}
      beside={<SavedViews usual={sort} chosen={chosen} onChoose={choose} />}
      {...(lead === undefined ? {} : { lead })}
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
  // A list that is neither searched nor filtered is short: nothing of it needs to be chosen.
  const hasTools = searchable || filters.length > 0 || followed !== undefined;
  return (
    <Followed model={followed}>
      {(live) => (
        <Stack sx={{ gap: 1.5 }}>
          {hasTools ? (
            <Box sx={toolbarStyle}>
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
