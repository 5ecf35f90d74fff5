import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import { useText } from '../texts/provider.ts';

export const Waiting = () => {
  const text = useText();
  return (
    <Box role="status" sx={{ display: 'grid', placeItems: 'center', minHeight: '50vh' }}>
      <CircularProgress size={28} aria-label={text('common.loading')} />
    </Box>
  );
};
