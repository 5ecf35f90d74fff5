/** The card of a matter that needs attention, and its lines. */

import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Icon } from '../parts/icon.tsx';

/** Entries of a kind that are listed on its card. */
export const listed = 3;

const day = 86_400_000;

/** The time in a number of days. */
export const daysFromNow = (days: number): string => new Date(Date.now() + days * day).toISOString();

/** Address of a list with a filter. */
export const filtered = (path: string, filter: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams({ filter: JSON.stringify(filter), page: '1' })}`;

interface MatterProps {
  readonly title: string;
  readonly count: string;
  /** Link to all of them, or advice. */
  readonly more: ReactNode;
  readonly children: ReactNode;
}

/** A card for a kind of matter: the number, the first entries, and the actions. */
export const Matter = ({ title, count, more, children }: MatterProps) => (
  <Box component="li" sx={matterStyle}>
    <Icon name="attention" sx={{ fontSize: 18, mt: '1px', color: 'warning.main' }} />
    <Box sx={{ minWidth: 0 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', columnGap: 1 }}>
        <Typography variant="h3" component="h2">
          {title}
        </Typography>
        <Typography component="p" sx={{ color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
          {count}
        </Typography>
        <Box sx={{ ml: 'auto', typography: 'body2', color: 'text.secondary', whiteSpace: 'nowrap' }}>
          {typeof more === 'string' ? null : more}
        </Box>
      </Box>
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {children}
      </Box>
      {typeof more === 'string' ? <SecondaryText>{more}</SecondaryText> : null}
    </Box>
  </Box>
);

const matterStyle = {
  display: 'grid',
  gridTemplateColumns: '18px minmax(0, 1fr)',
  columnGap: 1.25,
  px: 2,
  py: 1.5,
  borderBottom: 1,
  borderColor: 'divider',
  '&:last-of-type': { borderBottom: 0 },
} as const;

/** An entry: its words in one line, its actions at the end. */
export const Line = ({ children }: { readonly children: ReactNode }) => (
  <Box component="li" sx={lineStyle}>
    {children}
  </Box>
);

const lineStyle = {
  typography: 'body2',
  py: 0.5,
  overflowWrap: 'anywhere',
  display: 'flow-root',
  '& > .MuiStack-root, & > div:has(> .MuiButton-root)': { float: 'right', ml: 1.5, mr: '-6px' },
  '& .MuiButton-root': { minHeight: 24, py: 0, px: 0.75, color: 'text.secondary', fontWeight: 500 },
  '& .MuiButton-root:hover': { color: 'text.primary' },
} as const;

/** A less important part of a line. */
export const SecondaryText = ({ children }: { readonly children: ReactNode }) => (
  <Typography
    variant="body2"
    component="div"
    sx={{
      color: 'text.secondary',
      display: '-webkit-box',
      WebkitBoxOrient: 'vertical',
      WebkitLineClamp: '2',
      overflow: 'hidden',
    }}
  >
    {children}
  </Typography>
);
