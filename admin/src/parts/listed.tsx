import Paper from '@mui/material/Paper';
import { type RaRecord, useListContext } from 'ra-core';
import type { RecordTableProps } from './column.ts';
import { Failed } from './failed.tsx';
import { Pages } from './pages.tsx';
import { RecordTable } from './record-table.tsx';

interface ListedProps<Item extends RaRecord> extends RecordTableProps<Item> {
  /** Whether one gets to the other pages here; else only what the list begins with is shown. */
  readonly paged?: boolean;
}

/**
 * The records of the list context and their pages; where they could not be had, why, and another try. Its `ListBase` has
 * `saidInPlace`, so that this is the one place that says it.
 */
export const Listed = <Item extends RaRecord>({ paged = true, ...table }: ListedProps<Item>) => {
  const { error } = useListContext<Item>();
  if (error) return <Failed error={error} />;
  return (
    <Paper variant="outlined" sx={{ overflow: 'hidden' }}>
      <RecordTable<Item> {...table} />
      {paged ? <Pages label={table.label} /> : null}
    </Paper>
  );
};
