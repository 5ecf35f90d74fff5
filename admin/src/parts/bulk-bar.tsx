/** The bar with the actions on selected records. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { type RaRecord, useListContext } from 'ra-core';
import { type ReactNode, useState } from 'react';
import { exportRecords } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { Icon } from './icon.tsx';
import { useTell } from './problem.ts';

/** Maximum number of selected records: the service writes so many in one transaction. */
export const maxSelected = 1000;

/** Floats over the end of a list, within its edges: nothing moves when it appears. */
export const FloatingBar = ({ children }: { readonly children: ReactNode }) => (
  <Box sx={{ position: 'fixed', insetInline: 0, bottom: 16, zIndex: 1000, px: 1.5, pointerEvents: 'none' }}>
    <Paper
      sx={{
        mx: 'auto',
        p: 0.75,
        width: 'fit-content',
        maxWidth: '100%',
        pointerEvents: 'auto',
        display: 'flex',
        alignItems: 'center',
        gap: 0.5,
        flexWrap: 'wrap',
        border: 1,
        borderColor: 'divider',
        boxShadow: 'var(--shadow)',
      }}
    >
      {children}
    </Paper>
  </Box>
);

/** The number of selected records on all pages, and the actions on them. */
export const BulkBar = ({ children }: { readonly children: ReactNode }) => {
  const { selectedIds = [], onUnselectItems } = useListContext();
  const text = useText();
  const count = selectedIds.length;
  if (count === 0) return null;
  return (
    <FloatingBar>
      <Typography role="status" sx={{ px: 1, whiteSpace: 'nowrap', fontWeight: 500 }}>
        {text('list.chosen', { count })}
      </Typography>
      <ChooseMatching />
      {children}
      <IconButton
        aria-label={text('list.unchoose')}
        title={text('list.unchoose')}
        onClick={() => onUnselectItems()}
      >
        <Icon name="cross" />
      </IconButton>
    </FloatingBar>
  );
};

/** Selects matching records on other pages too, if the whole page is selected and there are more. */
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
  const wanted = Math.min(total, maxSelected);
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
        onSelect(records.slice(0, maxSelected).map(({ id }) => id as number));
        break;
      }
    } catch (error) {
      tell(error);
    }
    setBusy(false);
  };
  return (
    <Button loading={busy} onClick={() => void choose()}>
      {text(total > maxSelected ? 'list.chooseFirst' : 'list.chooseMatching', { count: wanted })}
    </Button>
  );
};
