/** The layout of a page: heading, actions and contents. */

import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { type ReactNode, useEffect, useRef } from 'react';
import { windowTitle } from '../application.ts';
import { Link } from './link.tsx';

interface PageProps {
  readonly title: string;
  /** A short description of the page. */
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** The list to which the page belongs. */
  readonly within?: { readonly to: string; readonly label: string } | undefined;
  /** Elements between the title and the actions. */
  readonly beside?: ReactNode;
  /** Number next to the title. */
  readonly count?: ReactNode;
  /** True if the page has a table, which uses more of a wide window than text and forms. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** True once a page was shown. The first page leaves the focus at its top, where the browser puts it. */
let entered = false;

/** A page. Its heading takes the focus when the page is opened, so that screen readers start there. */
export const Page = ({ title, lead, actions, within, count, beside, wide = false, children }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = windowTitle(title);
  }, [title]);
  useEffect(() => {
    const focused = document.activeElement;
    const first = !entered;
    entered = true;
    if (!first && (focused === null || focused === document.body))
      heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Box sx={{ maxWidth: wide ? 1600 : 'var(--content)', mx: 'auto' }}>
      <Box sx={headStyle}>
        <Box sx={titleStyle}>
          {within === undefined ? null : (
            <>
              <Link to={within.to}>{within.label}</Link>
              <span aria-hidden>/</span>
            </>
          )}
          <Typography
            ref={heading}
            tabIndex={-1}
            variant="h1"
            sx={{ outline: 'none', overflowWrap: 'anywhere', minWidth: 0 }}
          >
            {title}
          </Typography>
          {count === undefined ? null : <span>{count}</span>}
        </Box>
        {beside}
        {actions === undefined ? null : (
          <Stack direction="row" sx={{ gap: 1, flexWrap: 'wrap', alignItems: 'center', ml: 'auto' }}>
            {actions}
          </Stack>
        )}
        {lead === undefined ? null : (
          <Typography component="div" sx={leadStyle}>
            {lead}
          </Typography>
        )}
      </Box>
      {children}
    </Box>
  );
};

/** As high as a button, with or without one. */
const headStyle = {
  display: 'flex',
  alignItems: 'flex-start',
  flexWrap: 'wrap',
  columnGap: 2,
  rowGap: 0.5,
  minHeight: 32,
  mb: 2,
} as const;

/** On its own line, so that it never moves the actions. */
const leadStyle = { flex: '1 0 100%', color: 'text.secondary', textWrap: 'pretty' } as const;

const titleStyle = {
  minWidth: 0,
  flex: '0 1 auto',
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'baseline',
  columnGap: 1,
  minHeight: 32,
  fontSize: 'var(--title)',
  lineHeight: 'var(--title-line)',
  color: 'text.secondary',
  '& > h1': { color: 'text.primary' },
} as const;
