import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { type RaRecord, useListContext } from 'ra-core';
import { type ReactNode, useState } from 'react';
import { exportRecords } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { useTell } from './problem.ts';

/** Records that can be chosen at once: as many as the service writes in one transaction. */
export const mostChosen = 1000;

/** How many records are chosen, on whatever pages, and what can be done with them. */
export const BulkBar = ({ children }: { readonly children: ReactNode }) => {
  const { selectedIds = [], onUnselectItems } = useListContext();
  const text = useText();
  const count = selectedIds.length;
  if (count === 0) return null;
  return (
    <Paper
      variant="outlined"
      role="status"
      sx={{ px: 2, py: 1, display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}
    >
      <Typography sx={{ flex: 1 }}>{text('list.chosen', { count })}</Typography>
      <ChooseMatching />
      <Button onClick={() => onUnselectItems()}>{text('list.unchoose')}</Button>
      {children}
    </Paper>
  );
};

/** Where a whole page is chosen and the list goes on: chooses what is on the other pages too. */
const ChooseMatching = () => {
  const {
    resource,
    data = [],
    total = 0,
    sort,
    filterValues,
    filter,
    selectedIds = [],
    onSelect,
  } = useListContext<RaRecord>();
  const text = useText();
  const tell = useTell();
  const [busy, setBusy] = useState(false);
  const wanted = Math.min(total, mostChosen);
  if (
    total <= data.length ||
    selectedIds.length >= wanted ||
    !data.every(({ id }) => selectedIds.includes(id))
  )
    return null;
  const choose = async (): Promise<void> => {
    setBusy(true);
    try {
      for await (const records of exportRecords(resource, { sort, filter: { ...filterValues, ...filter } })) {
        onSelect(records.slice(0, mostChosen).map(({ id }) => id as number));
        break;
      }
    } catch (error) {
      tell(error);
    }
    setBusy(false);
  };
  return (
    <Button loading={busy} onClick={() => void choose()}>
      {text(total > mostChosen ? 'list.chooseFirst' : 'list.chooseMatching', { count: wanted })}
    </Button>
  );
};
