/** Events in their order, each with a dot and its words. Gates, which decide, have a trace of their own. */

import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import type { StatusTone } from './status.tsx';

const colours = {
  good: 'var(--good)',
  attention: 'var(--lantern-light)',
  bad: 'var(--danger)',
  off: 'var(--control)',
} as const satisfies Record<StatusTone, string>;

interface StepsProps {
  readonly label?: string;
  readonly children: ReactNode;
}

export const Steps = ({ label, children }: StepsProps) => (
  <Box component="ol" aria-label={label} sx={{ m: 0, p: 0, listStyle: 'none' }}>
    {children}
  </Box>
);

/** The words of a step or a gate, beside its mark. */
export interface StepWordsProps {
  readonly title: ReactNode;
  /** Elements at the end of its line. */
  readonly aside?: ReactNode;
  readonly children?: ReactNode;
}

export const StepWords = ({ title, aside, children }: StepWordsProps) => (
  <>
    <Box sx={{ minWidth: 0, overflowWrap: 'anywhere', typography: 'body1', fontWeight: 500 }}>{title}</Box>
    {children === undefined || children === null ? null : <Box sx={contentStyle}>{children}</Box>}
    {aside === undefined || aside === null ? null : (
      <Box sx={{ gridColumn: 3, gridRow: 1, typography: 'body2' }}>{aside}</Box>
    )}
  </>
);

interface StepProps extends StepWordsProps {
  readonly tone: StatusTone;
  /** Id of its heading. */
  readonly labelledBy?: string;
}

/** An event: its dot, its title, and further words below. */
export const Step = ({ tone, labelledBy, ...words }: StepProps) => (
  <Box component="li" aria-labelledby={labelledBy} sx={stepStyle}>
    <Box aria-hidden sx={{ width: 6, height: 6, mt: '7px', borderRadius: '50%', bgcolor: colours[tone] }} />
    <StepWords {...words} />
  </Box>
);

const stepStyle = {
  display: 'grid',
  gridTemplateColumns: '6px minmax(0, 1fr) auto',
  columnGap: 1.5,
  alignItems: 'start',
  py: 0.75,
  px: 1,
} as const;

/** Below the title, over the whole width. */
const contentStyle = {
  gridColumn: '2 / -1',
  gridRow: 2,
  minWidth: 0,
  overflowWrap: 'anywhere',
  typography: 'body2',
  color: 'text.secondary',
} as const;
