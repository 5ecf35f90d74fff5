import Box from '@mui/material/Box';
import type { Identifier } from 'ra-core';
import { createContext, useContext } from 'react';
import { useText } from '../texts/provider.ts';
import { visuallyHidden } from './visually-hidden.ts';

/** A change of a row on the screen. */
export interface RowMark {
  readonly kind: 'changed' | 'deleted';
  /** Toggles with each change, which restarts the animation. */
  readonly turn: boolean;
}

export type RowMarks = ReadonlyMap<Identifier, RowMark>;

const none: RowMarks = new Map();

export const RowMarksContext = createContext<RowMarks>(none);

export const useRowMarks = (): RowMarks => useContext(RowMarksContext);

const colour = 'rgba(242, 184, 75, 0.38)';

const changed = (turn: boolean) => ({
  [`@keyframes gw-changed-${turn}`]: { from: { backgroundColor: colour } },
  animation: `gw-changed-${turn} 2.4s ease-out`,
  // Without motion a line at the side shows the change.
  '@media (prefers-reduced-motion: reduce)': {
    animation: 'none',
    boxShadow: `inset 3px 0 0 ${colour}`,
  },
});

// The row fades only as far as it stays readable.
const deleted = {
  textDecoration: 'line-through',
  bgcolor: 'action.hover',
  '& td, & dd, & span': { color: 'text.secondary' },
  transition: 'background-color 1.2s',
  '@starting-style': { backgroundColor: 'transparent' },
  '@media (prefers-reduced-motion: reduce)': { transition: 'none' },
} as const;

export const markStyle = (mark: RowMark | undefined) => {
  if (mark === undefined) return {};
  return mark.kind === 'changed' ? changed(mark.turn) : deleted;
};

/** The meaning of a row's colour, for screen readers. */
export const MarkWord = ({ mark }: { readonly mark: RowMark | undefined }) => {
  const text = useText();
  return mark === undefined ? null : (
    <Box component="span" sx={visuallyHidden}>
      {text(`live.${mark.kind}`)}
    </Box>
  );
};
