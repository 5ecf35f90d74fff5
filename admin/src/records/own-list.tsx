import type { RaRecord } from 'ra-core';
import type { ComponentProps } from 'react';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import type { Column } from '../parts/column.ts';
import { type FilterField, filtersOf } from '../parts/filter-field.ts';
import { RecordListPage } from '../parts/record-list-page.tsx';
import { fieldColumn } from './columns.tsx';
import type { Choice, ListedField } from './metadata.ts';
import { useListFields } from './use-metadata.ts';

/** A column as a page says it: the name of a field, and where its value is not shown as it is, what differs. */
export type OwnColumn<Item extends RaRecord> = string | (Pick<Column, 'name'> & Partial<Column<Item>>);

export const columnsOf = <Item extends RaRecord>(
  columns: readonly OwnColumn<Item>[],
  fields: readonly ListedField[],
): Column<Item>[] =>
  columns.map((column) => {
    const own = typeof column === 'string' ? { name: column } : column;
    const field = fields.find(({ name }) => name === own.name);
    const derived = field === undefined ? { label: own.name, render: () => null } : fieldColumn<Item>(field);
    return { ...derived, ...own };
  });

type Page<Item extends RaRecord> = Omit<
  ComponentProps<typeof RecordListPage<Item>>,
  'columns' | 'filters'
> & {
  /** Those that follow from the fields where absent. */
  readonly filters?: readonly FilterField[];
};

type OwnListProps<Item extends RaRecord> = Page<Item> & {
  readonly columns: readonly OwnColumn<Item>[];
  /** Words of the page for values of a field that has no choices of its own. */
  readonly choices?: Readonly<Record<string, readonly Choice[]>>;
};

/** A list of the service's own: the service says which fields it has, how they are called and what they are filtered by. */
export const OwnList = <Item extends RaRecord>({ columns, choices = {}, ...page }: OwnListProps<Item>) => {
  const { data, error } = useListFields(page.resource);
  if (error) return <FailurePage error={error} />;
  if (data === undefined) return <Waiting />;
  const named = data.map((field) => {
    const words = choices[field.name];
    return words === undefined ? field : { ...field, type: 'enum', choices: words };
  });
  // Filters come in the order of the columns, then those of fields that no column shows.
  const shown = columns.map((column) => (typeof column === 'string' ? column : column.name));
  const place = ({ name }: ListedField): number =>
    shown.includes(name) ? shown.indexOf(name) : shown.length;
  const filters = filtersOf(named.toSorted((one, other) => place(one) - place(other)));
  return <RecordListPage<Item> filters={filters} {...page} columns={columnsOf(columns, data)} />;
};
