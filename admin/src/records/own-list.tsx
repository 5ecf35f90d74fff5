/** Lists of the service's own records, with columns and filters from the description of the list. */

import Stack from '@mui/material/Stack';
import { ListBase, type ListBaseProps, type RaRecord } from 'ra-core';
import type { ComponentProps, ReactNode } from 'react';
import { Loaded } from '../layout/failure.tsx';
import { type Column, fieldsWithoutColumn } from '../parts/column.ts';
import { failureShownHere } from '../parts/failed.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import { type FilterField, filtersOf } from '../parts/filter-field.ts';
import { Listed } from '../parts/listed.tsx';
import { RecordListPage } from '../parts/record-list-page.tsx';
import { fieldColumn } from './columns.tsx';
import type { Choice, ListedField } from './metadata.ts';
import { useListFields } from './use-metadata.ts';

/** A column: the name of a field, or a column with that name whose properties replace those of the field. */
export type OwnColumn<Item extends RaRecord> = string | (Pick<Column, 'name'> & Partial<Column<Item>>);

/** Columns with the labels of the service; on the page of a record values are shown `whole`. */
export const columnsOf = <Item extends RaRecord>(
  columns: readonly OwnColumn<Item>[],
  fields: readonly ListedField[],
  whole = false,
): Column<Item>[] =>
  columns.map((column) => {
    const own = typeof column === 'string' ? { name: column } : column;
    const field = fields.find(({ name }) => name === own.name);
    const inherited =
      field === undefined ? { label: own.name, render: () => null } : fieldColumn<Item>(field, whole);
    return { ...inherited, ...own };
  });

interface Described<Item extends RaRecord> {
  readonly columns: readonly OwnColumn<Item>[];
  /**
   * Fields of the service that the list does not show, or only within another column. Every other field without a
   * column gets one, before the buttons. Absent: only `columns` are shown.
   */
  readonly hidden?: readonly string[];
  /** Names of the fields with filters; all comparable fields if absent. */
  readonly filters?: readonly string[];
  /** Words for values of a field without choices. */
  readonly choices?: Readonly<Record<string, readonly Choice[]>>;
}

/** The columns of a list: the page's own, and an ordinary one for each further field of the service. */
const listColumns = <Item extends RaRecord>(
  { columns, hidden }: Described<Item>,
  fields: readonly ListedField[],
): Column<Item>[] => {
  const own = columnsOf(columns, fields);
  if (hidden === undefined) return own;
  const further = fieldsWithoutColumn(fields, own, hidden).map((field) => fieldColumn<Item>(field));
  const buttons = own.filter(({ acts }) => acts === true);
  return [...own.filter((column) => !buttons.includes(column)), ...further, ...buttons];
};

/** Filters in the order of the columns, then filters of other fields. */
const filtersFor = <Item extends RaRecord>(
  { columns, choices = {}, filters }: Described<Item>,
  fields: readonly ListedField[],
): FilterField[] => {
  const shown = columns.map((column) => (typeof column === 'string' ? column : column.name));
  const place = ({ name }: ListedField): number =>
    shown.includes(name) ? shown.indexOf(name) : shown.length;
  const named = fields.map((field) => {
    const words = choices[field.name];
    return words === undefined ? field : { ...field, choices: words };
  });
  return filtersOf(
    named
      .filter(({ name }) => filters?.includes(name) ?? true)
      .toSorted((one, other) => place(one) - place(other)),
  );
};

type OwnListProps<Item extends RaRecord> = Described<Item> &
  Required<Pick<Described<Item>, 'hidden'>> &
  Omit<ComponentProps<typeof RecordListPage<Item>>, 'columns' | 'filters'>;

/** A list of the service's own records. The service gives its fields, their labels and filters. */
export const OwnList = <Item extends RaRecord>(props: OwnListProps<Item>) => {
  const { columns: _columns, hidden: _hidden, filters: _filters, choices: _choices, ...page } = props;
  return (
    <Loaded query={useListFields(page.resource)}>
      {(fields) => (
        <RecordListPage<Item>
          {...page}
          columns={listColumns(props, fields)}
          filters={filtersFor(props, fields)}
        />
      )}
    </Loaded>
  );
};

type OwnPartProps<Item extends RaRecord> = Described<Item> &
  Pick<ListBaseProps, 'filter' | 'sort' | 'perPage' | 'queryOptions'> &
  Pick<ComponentProps<typeof Listed<Item>>, 'label' | 'empty' | 'nameOf' | 'to'> & {
    readonly resource: string;
    /** The list that describes the fields, if not `resource`. */
    readonly described?: string;
    /** True if the address holds the state of the list. */
    readonly located?: boolean;
    /** Elements above the records. */
    readonly children?: ReactNode;
  };

/** A list of the service's own records within another page. */
export const OwnPart = <Item extends RaRecord>(props: OwnPartProps<Item>) => {
  const { resource, described = resource, located = false, queryOptions, children } = props;
  const { label, empty, nameOf, to } = props;
  const { data: fields } = useListFields(described);
  if (fields === undefined) return null;
  const filters = filtersFor(props, fields);
  return (
    <ListBase
      resource={resource}
      {...(props.filter === undefined ? {} : { filter: props.filter })}
      sort={props.sort ?? { field: 'id', order: 'DESC' }}
      perPage={props.perPage ?? 10}
      disableAuthentication
      disableSyncWithLocation={!located}
      storeKey={false}
      exporter={false}
      queryOptions={{ ...failureShownHere, ...queryOptions }}
    >
      <Stack sx={{ gap: 1.5 }}>
        {filters.length === 0 ? null : (
          <Stack direction="row" sx={{ flexWrap: 'wrap', gap: 1 }}>
            <FilterBar fields={filters} searchable={false} />
          </Stack>
        )}
        {children}
        <Listed<Item>
          label={label}
          columns={listColumns(props, fields)}
          empty={empty}
          nameOf={nameOf}
          to={to}
        />
      </Stack>
    </ListBase>
  );
};
