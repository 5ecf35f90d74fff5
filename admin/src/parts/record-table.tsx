/** The records of a list as a table. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Skeleton from '@mui/material/Skeleton';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import TableSortLabel from '@mui/material/TableSortLabel';
import Typography from '@mui/material/Typography';
import useMediaQuery from '@mui/material/useMediaQuery';
import { type RaRecord, useListContext } from 'ra-core';
import { useText } from '../texts/provider.ts';
import { type Column, type Filled, type RecordTableProps, rowButtons } from './column.ts';
import { Icon } from './icon.tsx';
import { useDensity } from './list-look.ts';
import { RecordCards } from './record-cards.tsx';
import { MarkWord, markStyle, useRowMarks } from './row-marks.tsx';
import { useRowOpening } from './row-opening.ts';
import { TimesOfRows } from './time.tsx';

export type { Column } from './column.ts';

/** The records of the list context: a table, or cards on narrow screens. */
export const RecordTable = <Item extends RaRecord>(props: RecordTableProps<Item>) => {
  const narrow = useMediaQuery('(max-width: 760px)');
  const { data, isPending, filterValues, perPage } = useListContext<Item>();
  if (isPending) return <Loading rows={props.expected ?? perPage} />;
  if (data === undefined || data.length === 0) {
    const filtered = Object.keys(filterValues ?? {}).length > 0;
    return <Empty filtered={filtered} {...props} />;
  }
  return (
    <TimesOfRows value={props.to !== undefined}>
      {narrow ? <RecordCards {...props} records={data} /> : <Grid {...props} records={data} />}
    </TimesOfRows>
  );
};

/** An empty list, with the next action. */
const Empty = <Item extends RaRecord>({
  filtered,
  empty,
  emptyAction,
}: RecordTableProps<Item> & { readonly filtered: boolean }) => {
  const { setFilters } = useListContext<Item>();
  const text = useText();
  return (
    <Box sx={{ px: 2, py: 5, display: 'grid', justifyItems: 'center', gap: 1.5, color: 'text.secondary' }}>
      <Icon name="arch" sx={{ fontSize: 28, color: 'divider' }} />
      <Typography>{filtered ? text('list.nothingFound') : empty}</Typography>
      {filtered ? (
        <Button variant="outlined" onClick={() => setFilters({}, undefined, false)}>
          {text('list.clearFilters')}
        </Button>
      ) : (
        emptyAction
      )}
    </Box>
  );
};

/** Placeholders for the expected rows, with their height. */
const Loading = ({ rows }: { readonly rows: number }) => {
  const text = useText();
  return (
    <Box aria-label={text('common.loading')} role="status">
      {Array.from({ length: rows + 1 }, (_, row) => `row ${row}`).map((row, place) => (
        <Box key={row} sx={loadingStyle}>
          <Skeleton width={`${12 + ((place * 7) % 10)}%`} />
          <Skeleton width={`${8 + ((place * 5) % 8)}%`} />
          <Skeleton width="10%" />
          <Skeleton width="7%" />
        </Box>
      ))}
    </Box>
  );
};

const loadingStyle = {
  display: 'flex',
  alignItems: 'center',
  gap: 6,
  px: 1.5,
  height: { xs: 'var(--row-phone)', sm: 'var(--row)' },
  borderBottom: 1,
  borderColor: 'divider',
  '&:last-child': { borderBottom: 0 },
} as const;

const Grid = <Item extends RaRecord>({ label, columns, nameOf, to, records }: Filled<Item>) => {
  const { isFetching } = useListContext<Item>();
  const [density] = useDensity();
  return (
    <TableContainer tabIndex={0} role="region" aria-label={label}>
      <Table size="small" aria-label={label} aria-busy={isFetching} sx={[bodyStyle, densityStyle[density]]}>
        <TableHead>
          <TableRow>
            {nameOf === undefined ? null : <ChooseAll records={records} />}
            {columns.map((column) => (
              <HeadCell key={column.name} column={column} />
            ))}
          </TableRow>
        </TableHead>
        <Rows columns={columns} nameOf={nameOf} to={to} records={records} />
      </Table>
    </TableContainer>
  );
};

/**
 * Plain cells, styled from here: library components for 1,200 cells took a third of the script time of a page of 100
 * rows.
 */
const bodyStyle = {
  '& td[data-cell]': {
    typography: 'body2',
    height: 'var(--row)',
    p: '7px 12px',
    maxWidth: { xs: 200, xl: 280 },
    textAlign: 'left',
    verticalAlign: 'middle',
    borderBottom: 1,
    borderColor: 'divider',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  '& td[data-cell] > *': { maxWidth: '100%' },
  '& td[data-cell] a': { overflowWrap: 'normal' },
  // Only here: figures of equal width widen hyphens in names too.
  '& td[data-cell~=right]': { textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
  '& td[data-cell~=names]': { fontWeight: 500, maxWidth: { xs: 240, xl: 320 } },
  '& tbody tr:last-of-type > td': { borderBottom: 0 },
  '& tbody tr:focus-visible': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: -2 },
  '& td[data-cell~=acts]': { ...rowButtons, overflow: 'visible', maxWidth: 'none' },
  // The buttons of fifteen rows would outweigh what the rows say. Touch screens show them.
  '& tbody tr:not(:hover):not(:focus-within) td[data-cell~=acts] .MuiButton-root': {
    '@media (hover: hover)': { opacity: 0 },
  },
  // More specific than the padding of compact rows.
  '& tbody td[data-cell=choose]': { width: 40, p: '0 0 0 8px', overflow: 'visible' },
  '& td[data-cell~=held]': { width: '14%', minWidth: 128 },
  // Without a width of its own it takes that of its column, whatever its content.
  '& td[data-cell~=held] > span': {
    display: 'block',
    width: 0,
    minWidth: '100%',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
  },
  '& td[data-cell~=wide]': { display: { xs: 'none', lg: 'table-cell' } },
} as const;

const densityStyle = {
  comfortable: {},
  compact: {
    '& td[data-cell]': { py: '5px', height: 'var(--row-compact)' },
    '& .choose': { p: 0.5 },
    '& .MuiTableCell-head': { py: '5px' },
    '& .MuiCheckbox-root': { p: 0.5 },
  },
} as const;

const ChooseAll = ({ records }: { readonly records: readonly RaRecord[] }) => {
  const { selectedIds = [], onSelect } = useListContext();
  const text = useText();
  const ids = records.map(({ id }) => id);
  const chosen = ids.filter((id) => selectedIds.includes(id));
  const others = selectedIds.filter((id) => !ids.includes(id));
  return (
    <TableCell padding="checkbox">
      <Checkbox
        size="small"
        // The box of the icon is 2 px narrower than its picture: this aligns it with the boxes of the rows.
        sx={{ ml: '-2px' }}
        checked={chosen.length === ids.length}
        indeterminate={chosen.length > 0 && chosen.length < ids.length}
        // Records selected on other pages stay selected.
        onChange={() => onSelect(chosen.length === ids.length ? others : [...others, ...ids])}
        slotProps={{ input: { 'aria-label': text('list.chooseAll') } }}
      />
    </TableCell>
  );
};

const Rows = <Item extends RaRecord>({
  columns,
  nameOf,
  to,
  records,
}: Omit<Filled<Item>, 'label' | 'empty'>) => {
  const { selectedIds, onToggleItem } = useListContext<Item>();
  const text = useText();
  const marks = useRowMarks();
  const opening = useRowOpening();
  return (
    <TableBody>
      {records.map((record) => (
        <TableRow
          key={record.id}
          hover
          selected={selectedIds?.includes(record.id) ?? false}
          sx={{ ...markStyle(marks.get(record.id)), ...(to === undefined ? {} : { cursor: 'pointer' }) }}
          {...(to === undefined ? {} : opening(to(record)))}
        >
          {nameOf === undefined ? null : (
            <td data-cell="choose">
              <label className="choose">
                <input
                  type="checkbox"
                  aria-label={text('list.choose', { name: nameOf(record) })}
                  checked={selectedIds?.includes(record.id) ?? false}
                  onChange={() => onToggleItem(record.id)}
                />
              </label>
            </td>
          )}
          {columns.map((column, place) => (
            <td key={column.name} data-cell={cellWords(column)}>
              {column.held === true ? <span>{column.render(record)}</span> : column.render(record)}
              {place === 0 ? <MarkWord mark={marks.get(record.id)} /> : null}
            </td>
          ))}
        </TableRow>
      ))}
    </TableBody>
  );
};

const flags = ['names', 'wide', 'held', 'acts'] as const;

/** The attribute values that `bodyStyle` selects. */
const cellWords = ({ align, ...is }: Pick<Column, 'align' | (typeof flags)[number]>): string =>
  [align === 'right' ? 'right' : '', ...flags.filter((flag) => is[flag] === true)].join(' ');

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
