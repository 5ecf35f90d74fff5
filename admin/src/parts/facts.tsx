import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import type { ReactNode } from 'react';

/** A name and its value; a `long` value takes the whole width. */
export type Fact = readonly [name: string, value: ReactNode, long?: boolean];

interface FactsProps {
  readonly facts: readonly Fact[];
  /** True beside other parts of a page: one fact per line. */
  readonly aside?: boolean;
}

/** Names and values of a record, in two columns if there is room, each name above its value. */
export const Facts = ({ facts, aside = false }: FactsProps) => (
  <Paper variant="outlined" sx={{ p: 2, containerType: 'inline-size' }}>
    <Box
      component="dl"
      sx={{
        m: 0,
        display: 'grid',
        gridTemplateColumns: 'minmax(0, 1fr)',
        columnGap: 3,
        rowGap: aside ? 1.5 : 2,
        ...(aside
          ? {}
          : { '@container (min-width: 520px)': { gridTemplateColumns: 'repeat(2, minmax(0, 1fr))' } }),
      }}
    >
      {facts.map(([name, value, long = false]) => (
        <Box key={name} sx={{ minWidth: 0, ...(long ? { gridColumn: '1 / -1' } : {}) }}>
          <Box component="dt" sx={{ color: 'text.secondary', typography: 'body2' }}>
            {name}
          </Box>
          <Box component="dd" sx={{ m: 0, minWidth: 0, overflowWrap: 'anywhere' }}>
            {value}
          </Box>
        </Box>
      ))}
    </Box>
  </Paper>
);
