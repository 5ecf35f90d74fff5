import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { type ReactNode, useEffect } from 'react';
import { applicationName, windowTitle } from '../application.ts';
import { Notification } from '../layout/notification.tsx';
import { Preferences } from '../layout/preferences.tsx';
import { EnvironmentBadge } from '../parts/environment-badge.tsx';

const Gate = () => (
  <svg viewBox="0 0 32 32" width="44" height="44" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#2f5d62" />
    <path d="M8 25V14a8 8 0 0 1 16 0v11h-4V14a4 4 0 0 0-8 0v11z" fill="#fff" />
    <circle cx="16" cy="20" r="2.4" fill="#f2b84b" />
  </svg>
);

const nameStyle = {
  fontSize: 'var(--section)',
  lineHeight: 'var(--section-line)',
  fontWeight: 600,
  minWidth: 0,
  overflowWrap: 'anywhere',
} as const;

/** A page without the frame of the administration area: one card. */
export const OutsidePage = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) => {
  useEffect(() => {
    document.title = windowTitle(title);
  }, [title]);
  return (
    <Box
      component="main"
      sx={{ minHeight: '100vh', display: 'grid', placeItems: 'center', p: 2, bgcolor: 'background.default' }}
    >
      <Box sx={{ position: 'fixed', top: 8, right: 8, color: 'text.secondary' }}>
        <Preferences />
      </Box>
      <Paper variant="outlined" sx={{ p: { xs: 2.5, sm: 4 }, width: '100%', maxWidth: 400 }}>
        <Stack sx={{ gap: 1 }}>
          <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1.5 }}>
            <Gate />
            <Typography component="p" sx={nameStyle}>
              {applicationName}
            </Typography>
            <EnvironmentBadge />
          </Box>
          <Typography variant="h1" sx={{ mt: 1 }}>
            {title}
          </Typography>
          {children}
        </Stack>
      </Paper>
      <Notification />
    </Box>
  );
};
