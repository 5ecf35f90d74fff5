/** The records of a list as cards, for narrow screens. */

import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import type { RaRecord } from 'ra-core';
import { useListContext } from 'ra-core';
import { useText } from '../texts/provider.ts';
import { type Column, type Filled, rowButtons } from './column.ts';
import { MarkWord, markStyle, useRowMarks } from './row-marks.tsx';
import { useRowOpening } from './row-opening.ts';
import { visuallyHidden } from './visually-hidden.ts';

/** Columns in the second line; the page of the record has the others. */
const beneath = 4;

const rowStyle = {
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) auto',
  columnGap: 1,
  alignItems: 'center',
  minHeight: 'var(--row-phone)',
  px: 1.5,
  py: 0.75,
  borderBottom: 1,
  borderColor: 'divider',
  '&:last-child': { borderBottom: 0 },
  '&.chosen': { bgcolor: 'action.selected' },
} as const;

const lineStyle = {
  // Words for screen readers are truncated with the line.
  position: 'relative',
  m: 0,
  minWidth: 0,
  typography: 'body2',
  color: 'text.secondary',
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
  fontVariantNumeric: 'tabular-nums',
  '& > div': { display: 'inline' },
  '& dt, & dd': { display: 'inline', m: 0 },
  // Blocks become parts of the line.
  '& dd > div, & dd > p': { display: 'inline' },
  '& > div + div::before': { content: '" · "' },
} as const;

const nameStyle = { ...lineStyle, typography: 'body1', fontWeight: 500, color: 'text.primary' } as const;

/** A value, with its name for screen readers. */
const Value = <Item extends RaRecord>({
  column: { label, render },
  record,
}: {
  readonly column: Column<Item>;
  readonly record: Item;
}) => (
  <div>
    <Box component="dt" sx={visuallyHidden}>
      {label}
    </Box>{' '}
    <dd>{render(record)}</dd>
  </div>
);

/** The records as cards of two lines, for narrow screens: the name, and the most important values. */
export const RecordCards = <Item extends RaRecord>({ label, columns, nameOf, to, records }: Filled<Item>) => {
  const { selectedIds, onToggleItem } = useListContext<Item>();
  const text = useText();
  const marks = useRowMarks();
  const opening = useRowOpening();
  return (
    <Box component="ul" aria-label={label} sx={{ m: 0, p: 0, listStyle: 'none' }}>
      {records.map((record) => {
        const there = columns.filter(({ has }) => has?.(record) ?? true);
        const first = there.find(({ names }) => names === true) ?? there[0];
        const others = there.filter((column) => column !== first);
        const acts = others.filter((column) => column.acts === true);
        const beside = others.filter((column) => column.acts !== true).slice(0, beneath);
        const chosen = selectedIds?.includes(record.id) ?? false;
        return (
          <Box
            component="li"
            key={record.id}
            className={chosen ? 'chosen' : ''}
            sx={{
              ...rowStyle,
              ...(nameOf === undefined ? {} : { gridTemplateColumns: 'auto minmax(0, 1fr) auto', pl: 0.75 }),
              ...markStyle(marks.get(record.id)),
              ...(to === undefined ? {} : { cursor: 'pointer' }),
            }}
            {...(to === undefined ? {} : opening(to(record)))}
          >
            {nameOf === undefined ? null : (
              <Checkbox
                checked={chosen}
                onChange={() => onToggleItem(record.id)}
                slotProps={{ input: { 'aria-label': text('list.choose', { name: nameOf(record) }) } }}
              />
            )}
            <Box sx={{ minWidth: 0 }}>
              <MarkWord mark={marks.get(record.id)} />
              {first === undefined ? null : (
                <Box component="dl" sx={nameStyle}>
                  <Value column={first} record={record} />
                </Box>
              )}
              {beside.length === 0 ? null : (
                <Box component="dl" sx={lineStyle}>
                  {beside.map((column) => (
                    <Value key={column.name} column={column} record={record} />
                  ))}
                </Box>
              )}
            </Box>
            {acts.length === 0 ? null : (
              <Box sx={rowButtons}>{acts.map((column) => column.render(record))}</Box>
            )}
          </Box>
        );
      })}
    </Box>
  );
};
