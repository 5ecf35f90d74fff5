/** A matter that needs attention: one line with its mark, its words, one action, and the others behind "⋯". */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Arch } from '../parts/gate-trace.tsx';
import { type MoreItem, MoreMenu } from '../parts/more-menu.tsx';

/** Lines of a kind; the rest is behind a link. */
export const listed = 3;

const day = 86_400_000;

/** The time in a number of days. */
export const daysFromNow = (days: number): string => new Date(Date.now() + days * day).toISOString();

/** Address of a list with a filter. */
export const filtered = (path: string, filter: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams({ filter: JSON.stringify(filter), page: '1' })}`;

/** Broken now, broken soon, or advice without haste. */
export type Urgency = 'now' | 'soon' | 'advice';

/** A matter of the overview. */
export interface Matter {
  readonly key: string;
  readonly urgency: Urgency;
  readonly line: ReactNode;
}

interface LineProps {
  /** Name of the thing. */
  readonly subject: ReactNode;
  /** The reason why it is listed. */
  readonly about: ReactNode;
  /** The action that helps most. */
  readonly action?: ReactNode;
  readonly more?: readonly MoreItem[];
  /** Name of the thing for the menu of further actions. */
  readonly of: string;
}

/** The words of a matter in one line, its action at the end. */
export const Line = ({ subject, about, action, more = [], of }: LineProps) => (
  <Box sx={lineStyle}>
    <Box sx={subjectStyle}>{subject}</Box>
    <Box sx={aboutStyle}>{about}</Box>
    <Box sx={actsStyle}>
      {action}
      <MoreMenu items={more} of={of} small />
    </Box>
  </Box>
);

/** A card with room for subject, reason and action side by side. */
const wide = '@container (min-width: 720px)';

/** One line where the card is wide; else the reason stands below the subject, in two lines at most. */
const lineStyle = {
  display: 'grid',
  [wide]: { display: 'flex' },
  gridTemplateColumns: 'minmax(0, 1fr) auto',
  columnGap: 1.5,
  alignItems: 'center',
  typography: 'body2',
  minHeight: 28,
} as const;

const subjectStyle = {
  fontWeight: 500,
  minWidth: 0,
  flex: '0 1 auto',
  overflowWrap: 'anywhere',
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: { sm: 'nowrap' },
  [wide]: { maxWidth: '40%' },
} as const;

const aboutStyle = {
  minWidth: 0,
  flex: '1 1 0',
  gridRow: 2,
  gridColumn: '1 / -1',
  color: 'text.secondary',
  overflowWrap: 'anywhere',
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: '2',
  [wide]: { WebkitLineClamp: '1' },
  overflow: 'hidden',
  '& .link': { textDecoration: 'underline' },
} as const;

const actsStyle = {
  display: 'flex',
  alignItems: 'center',
  flex: 'none',
  gridRow: 1,
  gridColumn: 2,
  '& .MuiButton-root': {
    minHeight: 28,
    minWidth: 0,
    py: 0,
    px: 1,
    color: 'text.secondary',
    whiteSpace: 'nowrap',
  },
  '& .MuiButton-root:hover': { color: 'text.primary' },
} as const;

interface ActionProps {
  readonly label: string;
  /** Name of the thing that it acts on. */
  readonly of: string;
  readonly busy?: boolean;
  readonly onClick: () => void;
}

/** The one visible action of a line. */
export const Action = ({ label, of, busy = false, onClick }: ActionProps) => (
  <Button size="small" loading={busy} aria-label={`${label}: ${of}`} onClick={onClick}>
    {label}
  </Button>
);

interface GroupProps {
  readonly urgency: 'now' | 'soon';
  readonly title: string;
  readonly matters: readonly Matter[];
}

/** Matters of one urgency. Those of now stand at a trace: a gate for each, and the lantern at the first. */
export const Group = ({ urgency, title, matters }: GroupProps) => (
  <Box component="section" aria-label={title} sx={{ px: 2, py: 1.5, containerType: 'inline-size' }}>
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, mb: 0.5 }}>
      <Sign urgency={urgency} />
      <Typography variant="h3">{title}</Typography>
      <Typography component="span" variant="body2" sx={{ color: 'text.secondary' }}>
        {matters.length}
      </Typography>
    </Box>
    <Box component="ol" aria-label={title} sx={urgency === 'now' ? traceStyle : listStyle}>
      {matters.map(({ key, line }, place) => (
        <li key={key}>
          {urgency === 'now' ? <Arch outcome="stopped" lit={place === 0} /> : <Sign urgency="soon" />}
          {line}
        </li>
      ))}
    </Box>
  </Box>
);

/** A red square: broken now. An amber triangle: broken soon. */
const Sign = ({ urgency }: { readonly urgency: 'now' | 'soon' }) => (
  <svg viewBox="0 0 12 12" width="10" height="10" aria-hidden="true" style={{ flex: 'none' }}>
    {urgency === 'now' ? (
      <rect x="1" y="1" width="10" height="10" fill="var(--danger)" />
    ) : (
      <path d="M6 .5 12 11.5H0z" fill="var(--lantern-light)" />
    )}
  </svg>
);

const listStyle = {
  m: 0,
  p: 0,
  listStyle: 'none',
  '& > li': {
    position: 'relative',
    display: 'grid',
    gridTemplateColumns: '24px minmax(0, 1fr)',
    columnGap: 1,
    alignItems: 'center',
    py: 0.5,
  },
  '& > li > svg': { position: 'relative', justifySelf: 'center', alignSelf: 'start', mt: '9px' },
} as const;

/** The line between gates, 2 pixels wide. */
const traceStyle = {
  ...listStyle,
  '& > li > svg': { position: 'relative', alignSelf: 'start', mt: '1px' },
  '& > li:not(:last-of-type)::before': {
    content: '""',
    position: 'absolute',
    left: 11,
    top: 31,
    bottom: -4,
    width: 2,
    bgcolor: 'divider',
  },
} as const;

interface AdviceProps {
  readonly title: string;
  readonly count: string;
  /** Link to all of them, or a sentence. */
  readonly more?: ReactNode;
  readonly children: ReactNode;
}

/** A kind of advice within the fold: its name, its number, and a line for each of the first ones. */
export const Advice = ({ title, count, more, children }: AdviceProps) => (
  <Box component="li" sx={{ py: 1 }}>
    <Box
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', columnGap: 1, typography: 'body2' }}
    >
      <Box component="span" sx={{ fontWeight: 600 }}>
        {title}
      </Box>
      <Typography component="p" variant="body2" sx={{ color: 'text.secondary' }}>
        {count}
      </Typography>
      <Box sx={{ ml: 'auto' }}>{typeof more === 'string' ? null : more}</Box>
    </Box>
    {typeof more === 'string' ? (
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {more}
      </Typography>
    ) : null}
    <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', containerType: 'inline-size' }}>
      {children}
    </Box>
  </Box>
);
