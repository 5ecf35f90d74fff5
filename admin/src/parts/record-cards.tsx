import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { type RaRecord, useListContext } from 'ra-core';
import { useText } from '../texts/provider.ts';
import { type Filled, type RecordTableProps, rowButtons } from './column.ts';
import { MarkWord, markStyle, useRowMarks } from './row-marks.tsx';
import { useRowOpening } from './row-opening.ts';

/** The records as cards, where there is no room for a table. */
export const RecordCards = <Item extends RaRecord>({ label, columns, nameOf, to, records }: Filled<Item>) => {
  const { selectedIds, onToggleItem } = useListContext<Item>();
  const text = useText();
  const marks = useRowMarks();
  const opening = useRowOpening();
  return (
    <>
      {columns.some(({ sortable = true }) => sortable) ? <SortSelect columns={columns} /> : null}
      <Stack component="ul" aria-label={label} sx={{ gap: 1, p: 1, m: 0, listStyle: 'none' }}>
        {records.map((record) => (
          <Paper
            component="li"
            key={record.id}
            variant="outlined"
            sx={{
              p: 1.5,
              display: 'flex',
              gap: 1,
              ...markStyle(marks.get(record.id)),
              ...(to === undefined ? {} : { cursor: 'pointer' }),
            }}
            {...(to === undefined ? {} : opening(to(record)))}
          >
            {nameOf === undefined ? null : (
              <Checkbox
                size="small"
                sx={{ alignSelf: 'flex-start', p: 0.5 }}
                checked={selectedIds?.includes(record.id) ?? false}
                onChange={() => onToggleItem(record.id)}
                slotProps={{ input: { 'aria-label': text('list.choose', { name: nameOf(record) }) } }}
              />
            )}
            <MarkWord mark={marks.get(record.id)} />
            <Box component="dl" sx={{ m: 0, flex: 1, minWidth: 0 }}>
              {columns
                .filter(({ has }) => has?.(record) ?? true)
                .map(({ name, label: term, render, acts }) => (
                  <Box key={name} sx={{ display: 'flex', gap: 1, py: 0.25 }}>
                    <Typography
                      component="dt"
                      variant="body2"
                      sx={{ color: 'text.secondary', flex: '0 0 88px' }}
                    >
                      {term}
                    </Typography>
                    <Typography
                      component="dd"
                      variant="body2"
                      sx={{
                        ...{ m: 0, flex: 1, minWidth: 0, overflowWrap: 'anywhere' },
                        ...(acts === true ? rowButtons : {}),
                      }}
                    >
                      {render(record)}
                    </Typography>
                  </Box>
                ))}
            </Box>
          </Paper>
        ))}
      </Stack>
    </>
  );
};

/** Cards have no head to click on. */
const SortSelect = <Item extends RaRecord>({ columns }: Pick<RecordTableProps<Item>, 'columns'>) => {
  const { sort, setSort } = useListContext();
  const text = useText();
  const sortable = columns
    .filter((column) => column.sortable ?? true)
    .flatMap(({ name, label }) => [
      { value: `${name} ASC`, label: `${label} · ${text('list.ascending')}` },
      { value: `${name} DESC`, label: `${label} · ${text('list.descending')}` },
    ]);
  const newest = { value: 'id DESC', label: text('list.newest') };
  const orders = columns.some(({ name }) => name === 'id') ? sortable : [newest, ...sortable];
  const value = `${sort.field} ${sort.order}`;
  return (
    <Box sx={{ px: 1, pt: 1 }}>
      <TextField
        select
        label={text('list.sort')}
        value={orders.some((each) => each.value === value) ? value : ''}
        onChange={(event) => {
          const [field = '', order] = event.target.value.split(' ');
          setSort({ field, order: order === 'DESC' ? 'DESC' : 'ASC' });
        }}
      >
        {orders.map((each) => (
          <MenuItem key={each.value} value={each.value}>
            {each.label}
          </MenuItem>
        ))}
      </TextField>
    </Box>
  );
};
