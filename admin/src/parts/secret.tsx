import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { monospace } from '../theme.ts';
import { CopyButton } from './copy-button.tsx';

/** A text to be copied as a whole, with its line breaks. */
export const Secret = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <Stack sx={{ gap: 0.5 }}>
    <Stack direction="row" sx={{ alignItems: 'center', justifyContent: 'space-between' }}>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {label}
      </Typography>
      <CopyButton value={value} />
    </Stack>
    <Box
      component="code"
      tabIndex={0}
      role="textbox"
      aria-readonly
      aria-label={label}
      sx={{
        display: 'block',
        fontFamily: monospace,
        fontSize: 13,
        p: 1.5,
        borderRadius: 1,
        bgcolor: 'background.default',
        border: 1,
        borderColor: 'divider',
        whiteSpace: 'pre-wrap',
        overflowWrap: 'anywhere',
        userSelect: 'all',
      }}
    >
      {value}
    </Box>
  </Stack>
);
