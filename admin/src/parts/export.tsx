/** The export of lists as CSV. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useListContext } from 'ra-core';
import { useState } from 'react';
import { exportRecords } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { csvLine } from './csv.ts';
import { Icon } from './icon.tsx';
import { useTell } from './problem.ts';
import { saveFile } from './save-file.ts';
import { visuallyHidden } from './visually-hidden.ts';

/** Without this mark Chinese Excel reads a file in the encoding of the system. */
const byteOrderMark = '\uFEFF';

/** Saves lines of CSV as a file. */
export const saveCsv = (name: string, parts: readonly string[]): void => {
  const file = `${name.replaceAll('/', '-')}-${new Date().toISOString().slice(0, 10)}.csv`;
  saveFile(file, [byteOrderMark, ...parts], 'text/csv;charset=utf-8');
};

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Changes records and headings before they are exported. */
export interface ExportedAs {
  /** Replaces values of some records. */
  readonly rows: (records: Rows) => Promise<Rows>;
  /** Heading of a column. */
  readonly heading: (name: string) => string;
}

/** Saves every record of the list, filtered and sorted, as CSV. `read` is the number of records read so far. */
export const useExport = (name: string) => {
  const { resource, sort, filterValues, filter, total = 0 } = useListContext();
  const tell = useTell();
  const [read, setRead] = useState<number>();

  const run = async (as?: ExportedAs): Promise<void> => {
    setRead(0);
    try {
      const parts: string[] = [];
      let columns: readonly string[] | undefined;
      let count = 0;
      for await (const stored of exportRecords(resource, { sort, filter: { ...filterValues, ...filter } })) {
        const records = as === undefined ? stored : await as.rows(stored);
        columns ??= Object.keys(records[0] ?? {});
        const [names, first] = [columns, parts.length === 0];
        parts.push(
          (first ? csvLine(names.map((each) => as?.heading(each) ?? each)) : '') +
            records.map((record) => csvLine(names.map((each) => record[each]))).join(''),
        );
        count += records.length;
        setRead(count);
      }
      saveCsv(name, parts);
    } catch (error) {
      tell(error);
    } finally {
      setRead(undefined);
    }
  };
  return { run, read, total };
};

interface ExportProps extends Pick<ReturnType<typeof useExport>, 'read' | 'total'> {
  readonly onExport: () => void;
}

export const Export = ({ read, total, onExport }: ExportProps) => {
  const text = useText();
  const busy = read !== undefined;
  return (
    <Button
      startIcon={<Icon name="download" />}
      disabled={busy || total === 0}
      onClick={onExport}
      aria-live="polite"
    >
      {/* A telephone has room for the picture; the words stay the name of the button. */}
      <Box component="span" sx={{ '@media (max-width: 599px)': visuallyHidden }}>
        {busy ? text('list.exporting', { count: read }) : text('list.export')}
      </Box>
    </Button>
  );
};
