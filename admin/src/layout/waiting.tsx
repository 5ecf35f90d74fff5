import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import Typography from '@mui/material/Typography';
import { useSlow } from '../parts/use-slow.ts';
import { useText } from '../texts/provider.ts';

/** In the place of what is on its way; when that takes long, a word is said about it. */
export const Waiting = () => {
  const text = useText();
  const slow = useSlow(true);
  return (
    <Box
      role="status"
      sx={{ display: 'grid', placeContent: 'center', justifyItems: 'center', gap: 2, minHeight: '50vh' }}
    >
      <CircularProgress size={28} aria-label={text('common.loading')} />
      {slow ? <Typography sx={{ color: 'text.secondary', px: 2 }}>{text('forms.slowly')}</Typography> : null}
    </Box>
  );
};
