import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

interface ColumnsProps {
  readonly children: ReactNode;
  /** A third of the width; below the rest on narrow screens. */
  readonly aside: ReactNode;
}

/** The layout of a record's page: content, and a column of events beside it. */
export const Columns = ({ children, aside }: ColumnsProps) => (
  <Box
    className="columns"
    sx={{
      display: 'grid',
      gap: 3,
      alignItems: 'start',
      gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 2fr) minmax(0, 1fr)' },
    }}
  >
    <Box sx={{ display: 'grid', gap: 3, gridTemplateColumns: 'minmax(0, 1fr)' }}>{children}</Box>
    <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>{aside}</Box>
  </Box>
);
