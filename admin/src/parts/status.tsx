import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

export type StatusTone = 'good' | 'attention' | 'bad' | 'off';

const colours = {
  good: 'var(--good)',
  attention: 'var(--lantern-light)',
  bad: 'var(--danger)',
  off: 'var(--control)',
} as const;

interface StatusProps {
  readonly tone: StatusTone;
  readonly children: ReactNode;
  /** Details in a tooltip. */
  readonly title?: string;
}

/** A state: a dot and a word. */
export const Status = ({ tone, children, title }: StatusProps) => (
  <Box
    component="span"
    title={title}
    sx={{ display: 'inline-flex', alignItems: 'baseline', gap: 0.75, whiteSpace: 'nowrap' }}
  >
    <Box
      component="span"
      aria-hidden
      // At the middle of the letters, on the common baseline.
      sx={{ width: 6, height: 6, mb: '2px', borderRadius: '50%', flex: 'none', bgcolor: colours[tone] }}
    />
    <span>{children}</span>
  </Box>
);
