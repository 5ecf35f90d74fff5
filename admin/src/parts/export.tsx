import Button from '@mui/material/Button';
import { useListContext } from 'ra-core';
import { useState } from 'react';
import { exportRecords } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { csvLine } from './csv.ts';
import { Icon } from './icon.tsx';
import { useTell } from './problem.ts';
import { saveFile } from './save-file.ts';

/** Chinese Excel reads a file without this mark in the system's own encoding. */
const byteOrderMark = '\uFEFF';

/** Saves lines of CSV as a file. */
export const saveCsv = (name: string, parts: readonly string[]): void => {
  const file = `${name.replaceAll('/', '-')}-${new Date().toISOString().slice(0, 10)}.csv`;
  saveFile(file, [byteOrderMark, ...parts], 'text/csv;charset=utf-8');
};

/** Saves every record of the list, as it is filtered and sorted, as CSV. */
export const Export = ({ name }: { readonly name: string }) => {
  const { resource, sort, filterValues, filter, total = 0 } = useListContext();
  const text = useText();
  const tell = useTell();
  const [read, setRead] = useState<number>();

  const run = async (): Promise<void> => {
    setRead(0);
    try {
      const parts: string[] = [];
      let columns: readonly string[] | undefined;
      let count = 0;
      for await (const records of exportRecords(resource, { sort, filter: { ...filterValues, ...filter } })) {
        columns ??= Object.keys(records[0] ?? {});
        const [names, first] = [columns, parts.length === 0];
        parts.push(
          (first ? csvLine(names) : '') +
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

  const busy = read !== undefined;
  return (
    <Button
      startIcon={<Icon name="download" />}
      disabled={busy || total === 0}
      onClick={() => void run()}
      aria-live="polite"
    >
      {busy ? text('list.exporting', { count: read }) : text('list.export')}
    </Button>
  );
};
