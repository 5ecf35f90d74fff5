/** Columns of lists as data, and their selection. */

import type { RaRecord } from 'ra-core';
import type { ReactNode } from 'react';

/** A column of a list; a line of a card on narrow screens. */
export interface Column<Item extends RaRecord = RaRecord> {
  readonly name: string;
  readonly label: string;
  readonly sortable?: boolean;
  readonly align?: 'left' | 'right';
  /** Hidden in narrow tables unless the user chose it; cards show everything. */
  readonly wide?: boolean;
  /** Hidden until the user chooses it. */
  readonly extra?: boolean;
  /** Always shown: it links to the record. */
  readonly fixed?: boolean;
  /** Holds the name of the record: emphasised, and the first line of a card. */
  readonly names?: boolean;
  /** The width is fixed: content may arrive later than the row. */
  readonly held?: boolean;
  /** Holds buttons: the first is aligned with the heading, and none makes the row higher. */
  readonly acts?: boolean;
  /** The value says by itself what it is: cards show it without its label. */
  readonly bare?: boolean;
  /** Cards show it before the others. */
  readonly early?: boolean;
  /** False if a record has no value here; cards then leave out the column. */
  readonly has?: (record: Item) => boolean;
  readonly render: (record: Item) => ReactNode;
}

/** Style of buttons in a row, for columns with `acts`. */
export const rowButtons = {
  '& .MuiButton-root, & .MuiIconButton-root': { my: '-4px' },
  '& .MuiButton-text:first-of-type': { ml: -1 },
} as const;

/** The properties of a column that its selection needs. */
export type ColumnName = Pick<Column, 'name' | 'label' | 'extra' | 'fixed'>;

/** The fields of a list without a column of their own; `hidden` ones never get one. */
export const fieldsWithoutColumn = <Field extends { readonly name: string }>(
  fields: readonly Field[],
  columns: readonly { readonly name: string }[],
  hidden: readonly string[],
): readonly Field[] => {
  const known = new Set([...columns.map(({ name }) => name), ...hidden]);
  return fields.filter(({ name }) => !known.has(name));
};

/** Names of the columns shown without a choice. */
export const usualColumns = (columns: readonly ColumnName[]): readonly string[] =>
  columns.filter(({ extra }) => extra !== true).map(({ name }) => name);

/** The chosen columns in their order. Fixed columns come first if not chosen; unknown names are left out. */
export const shownColumns = <Item extends RaRecord>(
  columns: readonly Column<Item>[],
  chosen: readonly string[] | undefined,
): readonly Column<Item>[] => {
  if (chosen === undefined) return columns.filter(({ extra }) => extra !== true);
  const named = chosen.flatMap((name) => columns.filter((column) => column.name === name));
  const missing = columns.filter(({ name, fixed }) => fixed === true && !chosen.includes(name));
  return [...missing, ...named].map(({ wide: _wide, ...column }) => column);
};

export interface RecordTableProps<Item extends RaRecord> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  /** Name of a record, for its checkbox; without it rows cannot be selected. */
  readonly nameOf?: ((record: Item) => string) | undefined;
  /** Page that a click on a row opens; one of the columns has a link to it. */
  readonly to?: ((record: Item) => string) | undefined;
  /** Text of an empty list. */
  readonly empty: string;
  /** Action next to that text. */
  readonly emptyAction?: ReactNode;
  /** Expected number of rows while they load. */
  readonly expected?: number | undefined;
}

export type Filled<Item extends RaRecord> = RecordTableProps<Item> & { readonly records: readonly Item[] };
