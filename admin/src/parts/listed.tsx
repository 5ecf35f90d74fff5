import Paper from '@mui/material/Paper';
import { type RaRecord, useListContext } from 'ra-core';
import type { RecordTableProps } from './column.ts';
import { Failed } from './failed.tsx';
import { Pages } from './pages.tsx';
import { RecordTable } from './record-table.tsx';

interface ListedProps<Item extends RaRecord> extends RecordTableProps<Item> {
  /** False if only the first page is shown. */
  readonly paged?: boolean;
}

/**
 * The records of the list context and their pages; on failure the reason, and a button that tries again. Its `ListBase`
 * needs `saidInPlace`, so that the failure is shown only here.
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
