/** The frame of every page: top bar, menu and the page itself. */

import Box from '@mui/material/Box';
import Drawer from '@mui/material/Drawer';
import useMediaQuery from '@mui/material/useMediaQuery';
import { Component, lazy, type ReactNode, Suspense, useState } from 'react';
import { useLocation } from 'react-router';
import { factorDue, passwordDue, useDue } from '../account/due.ts';
import { ExactTimes } from '../parts/exact-times.tsx';
import { usePageLanguage, useText } from '../texts/provider.ts';
import { WithinFrame } from './arriving.tsx';
import { BrokenPage } from './failure.tsx';
import { Menu } from './menu.tsx';
import { barHeight, TopBar } from './top-bar.tsx';
import { Waiting } from './waiting.tsx';

const PasswordFirst = lazy(() =>
  import('../account/own-password-form.tsx').then(({ PasswordFirst: page }) => ({ default: page })),
);
const FactorFirst = lazy(() =>
  import('../factor/factor-first.tsx').then(({ FactorFirst: page }) => ({ default: page })),
);

const menuWidth = 216;

/**
 * The frame of every page. Required steps, such as a change of the password, replace the page; an open page stays
 * behind them with its input.
 */
export const AppLayout = ({ children }: { readonly children: ReactNode }) => {
  const password = useDue(passwordDue);
  const factor = useDue(factorDue);
  const due = password || factor;
  const [entered, setEntered] = useState(!due);
  if (!due && !entered) setEntered(true);
  return (
    <>
      {password ? (
        <Suspense fallback={<Waiting />}>
          <PasswordFirst />
        </Suspense>
      ) : null}
      {factor && !password ? (
        <Suspense fallback={<Waiting />}>
          <FactorFirst />
        </Suspense>
      ) : null}
      {entered ? (
        <Box hidden={due}>
          <Frame>{children}</Frame>
        </Box>
      ) : null}
    </>
  );
};

/** The frame: the top bar, the menu (behind a button on narrow screens), and the page. */
const Frame = ({ children }: { readonly children: ReactNode }) => {
  const wide = useMediaQuery('(min-width: 1000px)');
  const text = useText();
  const { pathname } = useLocation();
  const [open, setOpen] = useState(false);
  usePageLanguage();
  return (
    <Box className="frame" sx={{ minHeight: '100vh', bgcolor: 'background.default' }}>
      <Box
        component="a"
        className="link skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
        sx={{
          position: 'fixed',
          left: 8,
          top: -60,
          zIndex: 2000,
          p: 1.5,
          bgcolor: 'background.paper',
          borderRadius: 1,
          '&:focus': { top: 8 },
        }}
      >
        {text('menu.skip')}
      </Box>
      <TopBar onMenu={wide ? undefined : () => setOpen(true)} />
      {wide ? (
        <Box
          className="rail"
          sx={{
            position: 'fixed',
            top: barHeight,
            bottom: 0,
            width: menuWidth,
            overflowY: 'auto',
            borderRight: 1,
            borderColor: 'divider',
            scrollbarWidth: 'thin',
          }}
        >
          <Menu onGo={() => {}} />
        </Box>
      ) : (
        <Drawer
          open={open}
          onClose={() => setOpen(false)}
          slotProps={{ paper: { 'aria-label': text('menu.label'), sx: { width: 264 } } }}
        >
          <Menu onGo={() => setOpen(false)} />
        </Drawer>
      )}
      <Box
        component="main"
        id="content"
        tabIndex={-1}
        sx={{
          ml: wide ? `${menuWidth}px` : 0,
          pt: `${barHeight}px`,
          outline: 'none',
        }}
      >
        <Box sx={{ px: { xs: 1.5, sm: 3 }, pt: { xs: 1.5, sm: 2.5 }, pb: 6 }}>
          <WithinFrame value>
            <Boundary key={pathname}>
              <Suspense fallback={<Waiting />}>{children}</Suspense>
            </Boundary>
          </WithinFrame>
        </Box>
      </Box>
      <ExactTimes />
    </Box>
  );
};

/** Reloads the pages once the service responds: an earlier reload would show the error page of the browser. */
export const loadAgain = async (): Promise<void> => {
  const answer = await fetch(window.location.href, { cache: 'no-store' }).catch(() => undefined);
  if (answer?.ok === true) window.location.reload();
};

interface BoundaryState {
  readonly failure: { readonly error: unknown } | undefined;
}

/** Contains the failure of a page: the menu and the next page still work. */
class Boundary extends Component<{ readonly children: ReactNode }, BoundaryState> {
  override state: BoundaryState = { failure: undefined };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { failure: { error } };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === undefined) return this.props.children;
    return <BrokenPage error={failure.error} onRetry={loadAgain} />;
  }
}
