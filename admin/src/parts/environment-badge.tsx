import Box from '@mui/material/Box';
import { applicationEnvironment } from '../application.ts';

/** The environment in its colour; nothing where the application names none. */
export const EnvironmentBadge = () => {
  if (applicationEnvironment === undefined) return null;
  const { label, colour, ink } = applicationEnvironment;
  return (
    <Box component="span" sx={{ ...badgeStyle, bgcolor: colour, color: ink }}>
      {label}
    </Box>
  );
};

const badgeStyle = {
  flex: 'none',
  maxWidth: '100%',
  px: 1,
  borderRadius: 'var(--radius-control)',
  fontSize: 'var(--meta)',
  lineHeight: '20px',
  fontWeight: 600,
  overflowWrap: 'anywhere',
} as const;
