import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import Stack from '@mui/material/Stack';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import TableSortLabel from '@mui/material/TableSortLabel';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import useMediaQuery from '@mui/material/useMediaQuery';
import type { ReactNode } from 'react';
import { type RaRecord, useListContext } from 'react-admin';
import { useText } from '../texts/provider.ts';
import { MarkWord, markStyle, useRowMarks } from './row-marks.tsx';

export interface Column<Item extends RaRecord = RaRecord> {
  readonly name: string;
  readonly label: string;
  readonly sortable?: boolean;
  readonly align?: 'left' | 'right';
  /** Kept on one line. */
  readonly short?: boolean;
  /** Hidden where the table is narrow; cards show everything. */
  readonly wide?: boolean;
  /** Whether a record has anything in this column; cards leave it out where not. */
  readonly has?: (record: Item) => boolean;
  readonly render: (record: Item) => ReactNode;
}

interface RecordTableProps<Item extends RaRecord> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  /** What a record is called, for the checkbox beside it; without it nothing can be chosen. */
  readonly nameOf?: ((record: Item) => string) | undefined;
  /** Shown where there is no record at all. */
  readonly empty: string;
}

/** The records of the list context: a table, or cards where there is no room for one. */
export const RecordTable = <Item extends RaRecord>(props: RecordTableProps<Item>) => {
  const narrow = useMediaQuery('(max-width: 760px)');
  const { data, isPending, filterValues } = useListContext<Item>();
  const text = useText();
  if (isPending) return <Loading />;
  if (data === undefined || data.length === 0) {
    const filtered = Object.keys(filterValues ?? {}).length > 0;
    return (
      <Typography sx={{ p: 4, textAlign: 'center', color: 'text.secondary' }}>
        {filtered ? text('list.nothingFound') : props.empty}
      </Typography>
    );
  }
  return narrow ? <Cards {...props} records={data} /> : <Grid {...props} records={data} />;
};

const Loading = () => {
  const text = useText();
  return (
    <Stack aria-label={text('common.loading')} role="status" sx={{ p: 2, gap: 1 }}>
      {[0, 1, 2, 3, 4, 5].map((row) => (
        <Skeleton key={row} variant="rounded" height={30} />
      ))}
    </Stack>
  );
};

type Filled<Item extends RaRecord> = RecordTableProps<Item> & { readonly records: readonly Item[] };

const Grid = <Item extends RaRecord>({ label, columns, nameOf, records }: Filled<Item>) => {
  const { selectedIds, onToggleItem, onSelect, isFetching } = useListContext<Item>();
  const text = useText();
  const marks = useRowMarks();
  const ids = records.map(({ id }) => id);
  const chosen = ids.filter((id) => selectedIds?.includes(id));
  return (
    <TableContainer tabIndex={0} role="region" aria-label={label}>
      <Table size="small" aria-label={label} aria-busy={isFetching}>
        <TableHead>
          <TableRow>
            {nameOf === undefined ? null : (
              <TableCell padding="checkbox">
                <Checkbox
                  size="small"
                  checked={chosen.length === ids.length}
                  indeterminate={chosen.length > 0 && chosen.length < ids.length}
                  onChange={() => onSelect(chosen.length === ids.length ? [] : ids)}
                  slotProps={{ input: { 'aria-label': text('list.chooseAll') } }}
                />
              </TableCell>
            )}
            {columns.map((column) => (
              <HeadCell key={column.name} column={column} />
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {records.map((record) => (
            <TableRow
              key={record.id}
              hover
              selected={selectedIds?.includes(record.id) ?? false}
              sx={markStyle(marks.get(record.id))}
            >
              {nameOf === undefined ? null : (
                <TableCell padding="checkbox">
                  <Checkbox
                    size="small"
                    checked={selectedIds?.includes(record.id) ?? false}
                    onChange={() => onToggleItem(record.id)}
                    slotProps={{ input: { 'aria-label': text('list.choose', { name: nameOf(record) }) } }}
                  />
                </TableCell>
              )}
              {columns.map(({ name, align = 'left', render, wide, short }, place) => (
                <TableCell key={name} align={align} sx={cellStyle(wide, short)}>
                  {render(record)}
                  {place === 0 ? <MarkWord mark={marks.get(record.id)} /> : null}
                </TableCell>
              ))}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
};

const cellStyle = (wide: boolean | undefined, short: boolean | undefined) => ({
  overflowWrap: 'break-word',
  whiteSpace: short === true ? 'nowrap' : 'normal',
  maxWidth: 340,
  ...(wide === true ? { display: { xs: 'none', lg: 'table-cell' } } : {}),
});

const HeadCell = <Item extends RaRecord>({ column }: { readonly column: Column<Item> }) => {
  const { sort, setSort } = useListContext();
  const { name, label, align = 'left', sortable = true, wide } = column;
  const active = sort.field === name;
  const direction = sort.order === 'DESC' ? 'desc' : 'asc';
  return (
    <TableCell
      align={align}
      sortDirection={active ? direction : false}
      sx={wide === true ? { display: { xs: 'none', lg: 'table-cell' } } : {}}
    >
      {sortable ? (
        <TableSortLabel
          active={active}
          direction={active ? direction : 'asc'}
          onClick={() => setSort({ field: name, order: active && sort.order === 'ASC' ? 'DESC' : 'ASC' })}
        >
          {label}
        </TableSortLabel>
      ) : (
        label
      )}
    </TableCell>
  );
};

const Cards = <Item extends RaRecord>({ label, columns, nameOf, records }: Filled<Item>) => {
  const { selectedIds, onToggleItem } = useListContext<Item>();
  const text = useText();
  const marks = useRowMarks();
  return (
    <>
      {columns.some(({ sortable = true }) => sortable) ? <SortSelect columns={columns} /> : null}
      <Stack component="ul" aria-label={label} sx={{ gap: 1, p: 1, m: 0, listStyle: 'none' }}>
        {records.map((record) => (
          <Paper
            component="li"
            key={record.id}
            variant="outlined"
            sx={{ p: 1.5, display: 'flex', gap: 1, ...markStyle(marks.get(record.id)) }}
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
                .map(({ name, label: term, render }) => (
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
                      // A button without a border stands where a text would.
                      sx={{
                        m: 0,
                        flex: 1,
                        minWidth: 0,
                        overflowWrap: 'anywhere',
                        '& .MuiButton-text': { ml: -0.625, minWidth: 0 },
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
