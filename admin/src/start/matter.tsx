import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

/** How many of a kind are named on their card. */
export const listed = 3;

const day = 86_400_000;

/** The moment so many days from now. */
export const daysFromNow = (days: number): string => new Date(Date.now() + days * day).toISOString();

/** A filter as the address of a list holds it. */
export const filtered = (path: string, filter: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams({ filter: JSON.stringify(filter), page: '1' })}`;

interface MatterProps {
  readonly title: string;
  readonly count: string;
  /** Leads to all of them, or says what to do. */
  readonly more: ReactNode;
  readonly children: ReactNode;
}

/** A kind of thing that needs somebody: how many there are, the first of them, and what can be done. */
export const Matter = ({ title, count, more, children }: MatterProps) => (
  <Paper variant="outlined" component="li" sx={{ p: 2, display: 'flex', flexDirection: 'column', gap: 0.75 }}>
    <Typography variant="h3" component="h2" sx={{ color: 'text.secondary' }}>
      {title}
    </Typography>
    <Typography
      component="p"
      sx={{
        fontSize: 28,
        fontWeight: 650,
        lineHeight: 1.1,
        color: 'warning.main',
        fontVariantNumeric: 'tabular-nums',
      }}
    >
      {count}
    </Typography>
    <Stack component="ul" sx={{ m: 0, p: 0, listStyle: 'none', gap: 0.5 }}>
      {children}
    </Stack>
    <Box sx={{ mt: 'auto', pt: 0.5, typography: 'body2', color: 'text.secondary' }}>{more}</Box>
  </Paper>
);

export const Line = ({ children }: { readonly children: ReactNode }) => (
  <Typography component="li" variant="body2" sx={{ overflowWrap: 'anywhere' }}>
    {children}
  </Typography>
);

/** A part that belongs to a line and is less than it. */
export const Beneath = ({ children }: { readonly children: ReactNode }) => (
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
