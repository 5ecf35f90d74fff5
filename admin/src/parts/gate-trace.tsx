/** A sequence of gates with their outcomes. */

import Box from '@mui/material/Box';
import { Steps, StepWords, type StepWordsProps } from './steps.tsx';

/** The outcome at a gate. */
export type GateOutcome = 'passed' | 'narrowed' | 'stopped' | 'off';

const arch = 'M6 21V12a6 6 0 0 1 12 0v9';

const strokes = {
  passed: 'var(--good)',
  narrowed: 'var(--lantern)',
  stopped: 'var(--danger)',
  off: 'var(--control)',
} as const;

/**
 * Passed: an open arch. Narrowed: a smaller one within it. Stopped: a door. Off: dashes. The lantern marks the
 * decision.
 */
export const Arch = ({ outcome, lit }: { readonly outcome: GateOutcome; readonly lit: boolean }) => (
  <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" data-gate={outcome}>
    <g fill="none" stroke={lit ? 'var(--lantern)' : strokes[outcome]} strokeWidth="2" strokeLinejoin="round">
      <path d={arch} strokeLinecap="round" {...(outcome === 'off' ? { strokeDasharray: '2 3.5' } : {})} />
      {outcome === 'narrowed' && !lit ? <path d="M10 21v-7.5a2 2 0 0 1 4 0V21" strokeWidth="1.5" /> : null}
      {outcome === 'stopped' && !lit ? <path d="M6 13h12M6 17h12M12 6v15" strokeWidth="1.5" /> : null}
    </g>
    {lit ? <circle cx="12" cy="15" r="3" fill="var(--lantern-light)" /> : null}
  </svg>
);

const gateStyle = {
  position: 'relative',
  display: 'grid',
  gridTemplateColumns: '32px minmax(0, 1fr) auto',
  columnGap: 1,
  alignItems: 'start',
  py: 1,
  pr: 1,
  pl: 0.5,
  borderRadius: 1,
  // The line between arches.
  '&::before': {
    content: '""',
    position: 'absolute',
    left: 19,
    top: 34,
    bottom: -8,
    width: 2,
    bgcolor: 'divider',
  },
  '&:last-of-type::before': { display: 'none' },
  '& > svg': { position: 'relative', m: '-2px 4px 0' },
} as const;

const litStyle = { bgcolor: 'var(--lantern-ground)' } as const;

/** Gates in their order. */
export const GateTrace = Steps;

interface GateProps extends StepWordsProps {
  readonly outcome: GateOutcome;
  /** True for the deciding gate. */
  readonly lit?: boolean;
  /** Id of its heading. */
  readonly labelledBy?: string;
}

/** A gate: its arch, its title, and the reason of its outcome. */
export const Gate = ({ outcome, lit = false, labelledBy, ...words }: GateProps) => (
  <Box component="li" aria-labelledby={labelledBy} sx={lit ? { ...gateStyle, ...litStyle } : gateStyle}>
    <Arch outcome={outcome} lit={lit} />
    <StepWords {...words} />
  </Box>
);
