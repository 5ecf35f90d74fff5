/** The placeholder of a page that loads. */

import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import { useLocation } from 'react-router';
import { useSlow } from '../parts/use-slow.ts';
import { useText } from '../texts/provider.ts';

/** True for the page of one record. */
const isRecord = (pathname: string): boolean => /\/(?:show|create|history|\d+)$/.test(pathname);

/** A placeholder in the shape of the coming page. After a long wait a text says so. */
export const Waiting = () => {
  const text = useText();
  const slow = useSlow(true);
  const { pathname } = useLocation();
  return (
    <Box role="status" aria-label={text('common.loading')} sx={{ maxWidth: 'var(--content)', mx: 'auto' }}>
      <Box sx={{ display: 'flex', alignItems: 'center', height: 32, mb: 2 }}>
        <Skeleton variant="rounded" width={180} height={20} />
        <Skeleton variant="rounded" width={96} height={32} sx={{ ml: 'auto' }} />
      </Box>
      {slow ? (
        <Typography sx={{ color: 'text.secondary', mb: 2 }}>{text('problem.slowly')}</Typography>
      ) : null}
      {isRecord(pathname) ? <RecordShape /> : <ListShape />}
    </Box>
  );
};

const cardStyle = {
  border: 1,
  borderColor: 'divider',
  borderRadius: 'var(--radius)',
  bgcolor: 'background.paper',
};

const ListShape = () => (
  <Box sx={cardStyle}>
    {[38, 52, 44, 60, 40, 56, 48, 36].map((width) => (
      <Box
        key={width}
        sx={{
          height: 'var(--row)',
          px: 1.5,
          display: 'flex',
          alignItems: 'center',
          borderBottom: 1,
          borderColor: 'divider',
        }}
      >
        <Skeleton width={`${width}%`} />
      </Box>
    ))}
  </Box>
);

const RecordShape = () => (
  <Box
    sx={{ ...cardStyle, p: 2, display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' } }}
  >
    {[30, 42, 36, 48, 28, 40, 34, 46].map((width) => (
      <Box key={width}>
        <Skeleton width="24%" />
        <Skeleton width={`${width}%`} />
      </Box>
    ))}
  </Box>
);
