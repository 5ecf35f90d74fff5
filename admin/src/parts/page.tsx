import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { type ReactNode, useEffect, useRef } from 'react';

interface PageProps {
  readonly title: string;
  /** A word or two about what the page is for. */
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** Narrow pages are read, wide ones are tables. */
  readonly narrow?: boolean;
}

/** Whether a page was shown before: the first one leaves the focus at its top, where a browser puts it. */
let entered = false;

/** A page: its heading takes the focus when the page is entered, so that a screen reader begins there. */
export const Page = ({ title, lead, actions, children, narrow = false }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Gatewright`;
  }, [title]);
  useEffect(() => {
    const focused = document.activeElement;
    const first = !entered;
    entered = true;
    if (!first && (focused === null || focused === document.body))
      heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Frame width={narrow ? 880 : wholeWidth}>
      <Stack
        direction="row"
        sx={{ alignItems: 'center', justifyContent: 'space-between', flexWrap: 'wrap', gap: 1.5, mb: 2 }}
      >
        <Box sx={{ minWidth: 0 }}>
          <Typography
            ref={heading}
            tabIndex={-1}
            variant="h1"
            sx={{ outline: 'none', overflowWrap: 'anywhere' }}
          >
            {title}
          </Typography>
          {lead === undefined ? null : (
            <Typography sx={{ color: 'text.secondary', mt: 0.5, maxWidth: 720, textWrap: 'pretty' }}>
              {lead}
            </Typography>
          )}
        </Box>
        {actions === undefined ? null : (
          <Stack direction="row" sx={{ gap: 1, flexWrap: 'wrap' }}>
            {actions}
          </Stack>
        )}
      </Stack>
      {children}
    </Frame>
  );
};

/** Pixels of the widest page: the lines of a table can still be followed. */
const wholeWidth = 1480;

/** Every page begins at the same edge, so that nothing jumps between a list and its records. */
const Frame = ({ width, children }: { readonly width: number; readonly children: ReactNode }) => (
  <Box sx={{ maxWidth: wholeWidth, mx: 'auto' }}>
    <Box sx={{ maxWidth: width }}>{children}</Box>
  </Box>
);
