/** The bar above every page: palette, preferences and account. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Divider from '@mui/material/Divider';
import IconButton from '@mui/material/IconButton';
import MuiMenu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import Typography from '@mui/material/Typography';
import { useGetIdentity, useLoading, useLogout } from 'ra-core';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Link } from 'react-router';
import { applicationEnvironment, applicationName } from '../application.ts';
import { basePath } from '../base.ts';
import { offers } from '../offered.ts';
import { EnvironmentBadge } from '../parts/environment-badge.tsx';
import { Icon } from '../parts/icon.tsx';
import { askBefore } from '../parts/unsaved.ts';
import { useLanguage, useText } from '../texts/provider.ts';
import { usePreferenceItems } from './preference-items.tsx';
import { useShortcuts } from './shortcuts.ts';

const KeyHelp = lazy(() => import('./key-help.tsx').then(({ KeyHelp: part }) => ({ default: part })));

const Palette = lazy(() => import('./palette.tsx').then(({ Palette: part }) => ({ default: part })));

export const barHeight = 48;

const documented = offers('documented');
const linksAccounts = offers('providers');

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

const shortcut = isApple ? '⌘K' : 'Ctrl K';

/** Opens the palette with Ctrl+K or ⌘K from anywhere. */
const useShortcut = (open: () => void): void => {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(isApple ? event.metaKey : event.ctrlKey)) return;
      event.preventDefault();
      open();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [open]);
};

const Brand = () => (
  <Box component={Link} to="/" sx={brandStyle}>
    <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#1f5f66" />
      <path d="M8 25V14a8 8 0 0 1 16 0v11h-4V14a4 4 0 0 0-8 0v11z" fill="#fff" />
      <circle cx="16" cy="20" r="2.4" fill="#f0b45a" />
    </svg>
    <Typography component="span" noWrap sx={{ fontWeight: 600, letterSpacing: '-0.01em' }}>
      {applicationName}
    </Typography>
    <EnvironmentBadge />
  </Box>
);

const brandStyle = {
  display: 'flex',
  alignItems: 'center',
  gap: 1,
  minWidth: 0,
  minHeight: 32,
  color: 'inherit',
  textDecoration: 'none',
  '& > svg': { flex: 'none' },
} as const;

/** The colour of the environment along the whole bar. */
const environmentLine =
  applicationEnvironment === undefined ? 'none' : `inset 0 2px 0 ${applicationEnvironment.colour}`;

const Account = () => {
  const text = useText();
  const language = useLanguage();
  const { identity } = useGetIdentity();
  const logout = useLogout();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const name = identity?.fullName ?? '';
  const preferences = usePreferenceItems();
  return (
    <>
      <IconButton
        color="inherit"
        title={name}
        aria-label={text('menu.account')}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <Icon name="person" fontSize="small" />
      </IconButton>
      <MuiMenu disablePortal open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
        <MenuItem
          component={Link}
          to={`/users/${identity?.id ?? ''}/show`}
          onClick={() => setAnchor(null)}
          sx={{ maxWidth: 280, display: 'block' }}
        >
          <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
            {name}
          </Typography>
          <Typography variant="body2" sx={{ color: 'text.secondary' }}>
            {(identity?.['roles'] as readonly string[] | undefined)?.join(', ')}
          </Typography>
        </MenuItem>
        <Divider />
        <MenuItem component={Link} to="/sessions" onClick={() => setAnchor(null)}>
          {text('titles.sessions')}
        </MenuItem>
        <MenuItem component={Link} to="/password" onClick={() => setAnchor(null)}>
          {text('account.changePassword')}
        </MenuItem>
        <MenuItem component={Link} to="/second-factor" onClick={() => setAnchor(null)}>
          {text('factor.title')}
        </MenuItem>
        {linksAccounts ? (
          <MenuItem component={Link} to="/identities" onClick={() => setAnchor(null)}>
            {text('account.identities')}
          </MenuItem>
        ) : null}
        <Divider />
        {preferences}
        <Divider />
        {documented
          ? [
              <MenuItem key="handbook" component="a" href={`${basePath}/api-docs/handbook?lang=${language}`}>
                {text('menu.handbook')}
              </MenuItem>,
              <MenuItem key="api" component="a" href={`${basePath}/api-docs`}>
                {text('menu.documentation')}
              </MenuItem>,
            ]
          : null}
        <MenuItem
          onClick={() => {
            setAnchor(null);
            askBefore(() => void logout());
          }}
        >
          {text('menu.signOut')}
        </MenuItem>
      </MuiMenu>
    </>
  );
};

/** A line under the bar that moves to and fro. */
const loadingStyle = {
  position: 'absolute',
  insetInline: 0,
  bottom: -1,
  height: 2,
  overflow: 'hidden',
  '&::after': {
    content: '""',
    position: 'absolute',
    inset: 0,
    width: '30%',
    bgcolor: 'primary.main',
    animation: 'gw-loading 1.2s ease-in-out infinite',
  },
  '@keyframes gw-loading': {
    from: { transform: 'translateX(-100%)' },
    to: { transform: 'translateX(340%)' },
  },
  '@media (prefers-reduced-motion: reduce)': { '&::after': { animation: 'none', width: '100%' } },
} as const;

interface PaletteButtonProps {
  readonly onOpen: () => void;
}

const PaletteButton = ({ onOpen }: PaletteButtonProps) => {
  const text = useText();
  return (
    <Button
      color="inherit"
      startIcon={<Icon name="search" />}
      onClick={onOpen}
      aria-label={`${text('palette.open')} ${shortcut}`}
      aria-keyshortcuts={isApple ? 'Meta+K' : 'Control+K'}
      sx={{
        color: 'text.secondary',
        fontWeight: 400,
        border: { md: 1 },
        borderColor: { md: 'divider' },
        bgcolor: { md: 'background.paper' },
        px: { md: 1.25 },
        mr: { md: 0.5 },
        minWidth: { xs: 40, md: 240 },
        justifyContent: { md: 'flex-start' },
        '& .MuiButton-startIcon': { mx: { xs: 0, md: 0.5 } },
      }}
    >
      <Box
        component="span"
        sx={{ display: { xs: 'none', md: 'flex' }, flex: 1, gap: 1, alignItems: 'center' }}
      >
        {text('palette.open')}{' '}
        <Box
          component="kbd"
          sx={{ ml: 'auto', fontFamily: 'inherit', fontSize: 'var(--meta)', color: 'text.disabled' }}
        >
          {shortcut}
        </Box>
      </Box>
    </Button>
  );
};

export const TopBar = ({ onMenu }: { readonly onMenu: (() => void) | undefined }) => {
  const text = useText();
  const loading = useLoading();
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const [open] = useState(() => () => setPalette(true));
  const [openHelp] = useState(() => () => setHelp(true));
  useShortcut(open);
  useShortcuts({ openPalette: open, openHelp });
  return (
    <Box
      component="header"
      sx={{
        position: 'fixed',
        insetInline: 0,
        top: 0,
        height: barHeight,
        zIndex: 1100,
        display: 'flex',
        alignItems: 'center',
        gap: 0.5,
        px: { xs: 1, sm: 2 },
        bgcolor: 'background.default',
        borderBottom: 1,
        borderColor: 'divider',
        boxShadow: environmentLine,
      }}
    >
      {onMenu === undefined ? null : (
        <IconButton color="inherit" aria-label={text('menu.open')} onClick={onMenu}>
          <Icon name="menu" />
        </IconButton>
      )}
      <Brand />
      <Box sx={{ flex: 1 }} />
      <PaletteButton onOpen={open} />
      <Account />
      {palette ? (
        <Suspense fallback={null}>
          <Palette onClose={() => setPalette(false)} onHelp={openHelp} />
        </Suspense>
      ) : null}
      {help ? (
        <Suspense fallback={null}>
          <KeyHelp palette={shortcut} onClose={() => setHelp(false)} />
        </Suspense>
      ) : null}
      {loading ? <Box role="progressbar" aria-label={text('common.loading')} sx={loadingStyle} /> : null}
    </Box>
  );
};
