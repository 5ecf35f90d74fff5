/** The records of a list as cards, for narrow screens. */

import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import type { RaRecord } from 'ra-core';
import { useListContext } from 'ra-core';
import { useText } from '../texts/provider.ts';
import { type Column, type Filled, rowButtons } from './column.ts';
import { LinksHaveRoom } from './link.tsx';
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
  py: '5px',
  borderBottom: 1,
  borderColor: 'divider',
  '&:last-child': { borderBottom: 0 },
  '&.chosen': { bgcolor: 'action.selected' },
} as const;

/** Values beside each other. */
const lineStyle = {
  m: 0,
  minWidth: 0,
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1.5,
  typography: 'body2',
  color: 'text.secondary',
  '& > div': {
    // Words for screen readers are truncated with their value.
    position: 'relative',
    maxWidth: '100%',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  '& dt, & dd': { display: 'inline', m: 0 },
  '& dt': { color: 'text.disabled' },
  // Blocks become parts of the line.
  '& dd > div, & dd > p': { display: 'inline' },
} as const;

/** The name, whose link is high enough for a finger. */
const nameStyle = {
  ...lineStyle,
  typography: 'body1',
  lineHeight: '24px',
  fontWeight: 500,
  color: 'text.primary',
  '& a': {
    display: 'inline-block',
    maxWidth: '100%',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    verticalAlign: 'top',
  },
} as const;

/** One line of whole values: the page of the record has those for which there is no room. */
const beneathStyle = { ...lineStyle, maxHeight: 20, overflow: 'hidden' } as const;

/** A value after its label, which only screen readers have where the value says enough. */
const Value = <Item extends RaRecord>({
  column: { label, names, bare, render },
  record,
}: {
  readonly column: Column<Item>;
  readonly record: Item;
}) => (
  <div>
    <Box component="dt" sx={names === true || bare === true ? visuallyHidden : {}}>
      {label}
    </Box>{' '}
    <dd>{render(record)}</dd>
  </div>
);

/** The records as cards, for narrow screens: the name, and below it the most important values. */
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
        const beside = others
          .filter((column) => column.acts !== true)
          .toSorted((one, other) => Number(other.early ?? false) - Number(one.early ?? false))
          .slice(0, beneath);
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
                <LinksHaveRoom value={false}>
                  <Box component="dl" sx={beneathStyle}>
                    {beside.map((column) => (
                      <Value key={column.name} column={column} record={record} />
                    ))}
                  </Box>
                </LinksHaveRoom>
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
