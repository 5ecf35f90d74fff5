/** The dialog with the keyboard shortcuts. */

import Box from '@mui/material/Box';
import { DetailDialog } from '../parts/detail-dialog.tsx';
import { useText } from '../texts/provider.ts';

const keys = ['/', 'j', 'k', 'Enter', 'c', 'e', '?', 'Esc'] as const;

const names = {
  '/': 'search',
  j: 'next',
  k: 'previous',
  Enter: 'open',
  c: 'create',
  e: 'edit',
  '?': 'help',
  Esc: 'close',
} as const;

interface KeyHelpProps {
  /** Name of the key that opens the palette: `Ctrl K`. */
  readonly palette: string;
  readonly onClose: () => void;
}

/** The list of keyboard shortcuts. */
export const KeyHelp = ({ palette, onClose }: KeyHelpProps) => {
  const text = useText();
  return (
    <DetailDialog title={text('shortcuts.title')} onClose={onClose}>
      <Box component="dl" sx={listStyle}>
        {[...keys.map((key) => [key, text(`shortcuts.${names[key]}`)]), [palette, text('palette.open')]].map(
          ([key, does]) => (
            <Box key={key} sx={{ display: 'contents' }}>
              <Box component="dt">
                <kbd>{key}</kbd>
              </Box>
              <Box component="dd" sx={{ m: 0 }}>
                {does}
              </Box>
            </Box>
          ),
        )}
      </Box>
    </DetailDialog>
  );
};

const listStyle = {
  m: 0,
  display: 'grid',
  gridTemplateColumns: 'auto 1fr',
  columnGap: 3,
  rowGap: 1,
  alignItems: 'center',
  '& kbd': {
    display: 'inline-block',
    minWidth: 24,
    px: 0.75,
    textAlign: 'center',
    fontFamily: 'inherit',
    fontSize: 'var(--meta)',
    lineHeight: '20px',
    border: 1,
    borderColor: 'divider',
    borderRadius: '4px',
  },
} as const;
