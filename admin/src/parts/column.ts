import type { RaRecord } from 'ra-core';
import type { ReactNode } from 'react';

/** A column of a list; a line of a card where there is no room for columns. */
export interface Column<Item extends RaRecord = RaRecord> {
  readonly name: string;
  readonly label: string;
  readonly sortable?: boolean;
  readonly align?: 'left' | 'right';
  /** Hidden where the table is narrow, unless somebody chose it; cards show everything. */
  readonly wide?: boolean;
  /** Not shown before somebody chooses it. */
  readonly extra?: boolean;
  /** Always shown: it leads to the record. */
  readonly fixed?: boolean;
  /** It is the name of the record: set off from the others, and the first line where there is no room for columns. */
  readonly names?: boolean;
  /** Its width does not follow its content, which may come later than the row. */
  readonly held?: boolean;
  /** Buttons stand in it: the first begins where its heading does, and they make the row no higher. */
  readonly acts?: boolean;
  /** Whether a record has anything in this column; cards leave it out where not. */
  readonly has?: (record: Item) => boolean;
  readonly render: (record: Item) => ReactNode;
}

/** How the buttons of a row are set, under `acts`. */
export const rowButtons = {
  '& .MuiButton-root, & .MuiIconButton-root': { my: '-4px' },
  '& .MuiButton-text:first-of-type': { ml: -1 },
} as const;

/** The facts of a column that are needed to choose it. */
export type ColumnName = Pick<Column, 'name' | 'label' | 'extra' | 'fixed'>;

/** The columns that are shown where none were chosen. */
export const usualColumns = (columns: readonly ColumnName[]): readonly string[] =>
  columns.filter(({ extra }) => extra !== true).map(({ name }) => name);

/**
 * The columns that were chosen, in their order. Columns that are always shown and were not named come first; what is not there
 * any more is left out.
 */
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
  /** The name of a record, for the checkbox beside it; without it nothing can be chosen. */
  readonly nameOf?: ((record: Item) => string) | undefined;
  /** Where a record is opened by a click on its row; one of its columns has the link for it. */
  readonly to?: ((record: Item) => string) | undefined;
  /** Shown where there is no record at all. */
  readonly empty: string;
  /** The way to the first record, beside it. */
  readonly emptyAction?: ReactNode;
  /** How many rows there will most likely be, while they are on their way. */
  readonly expected?: number | undefined;
}

export type Filled<Item extends RaRecord> = RecordTableProps<Item> & { readonly records: readonly Item[] };
