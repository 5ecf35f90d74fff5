import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import type { ReactNode } from 'react';

/** Names and values of one record. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) => (
  <Paper
    variant="outlined"
    component="dl"
    sx={{
      m: 0,
      p: { xs: 2, sm: 2.5 },
      display: 'grid',
      gridTemplateColumns: { xs: '1fr', sm: '180px 1fr' },
      rowGap: { xs: 0.25, sm: 1.25 },
      columnGap: 2,
    }}
  >
    {facts.map(([name, value]) => (
      <Box key={name} sx={{ display: 'contents' }}>
        <Box component="dt" sx={{ color: 'text.secondary' }}>
          {name}
        </Box>
        <Box component="dd" sx={{ m: 0, mb: { xs: 1, sm: 0 }, minWidth: 0, overflowWrap: 'anywhere' }}>
          {value}
        </Box>
      </Box>
    ))}
  </Paper>
);
