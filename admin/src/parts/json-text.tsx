import Box from '@mui/material/Box';
import { exactJson } from '../exact.ts';
import { monospace } from '../theme.ts';

/** Preformatted text that can be scrolled and copied. */
export const CodeText = ({ code, label }: { readonly code: string; readonly label: string }) => (
  <Box
    component="pre"
    tabIndex={0}
    role="region"
    aria-label={label}
    sx={{
      m: 0,
      p: 1.5,
      fontFamily: monospace,
      fontSize: 12.5,
      borderRadius: 1,
      border: 1,
      borderColor: 'divider',
      bgcolor: 'background.default',
      overflow: 'auto',
      maxHeight: 420,
      whiteSpace: 'pre-wrap',
      overflowWrap: 'anywhere',
    }}
  >
    {code}
  </Box>
);

/** A JSON value as text that can be scrolled and copied. */
export const JsonText = ({ value, label }: { readonly value: unknown; readonly label: string }) => (
  <CodeText code={exactJson.stringify(value, 2)} label={label} />
);
