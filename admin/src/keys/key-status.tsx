import Chip from '@mui/material/Chip';
import Stack from '@mui/material/Stack';
import { useText } from '../texts/provider.ts';
import type { ApiKey } from './api-key.ts';

/** Whether a key works, and whether it is forgotten. */
export const KeyStatus = ({ apiKey }: { readonly apiKey: Pick<ApiKey, 'status' | 'neglected'> }) => {
  const text = useText();
  const active = apiKey.status === 'active';
  return (
    <Stack direction="row" sx={{ gap: 0.5, flexWrap: 'wrap' }}>
      <Chip
        size="small"
        variant="outlined"
        color={active ? 'success' : 'default'}
        label={text(active ? 'keys.active' : 'keys.expired')}
      />
      {apiKey.neglected ? (
        <Chip
          size="small"
          variant="outlined"
          color="warning"
          label={text('keys.neglected')}
          title={text('keys.neglectedHelp')}
        />
      ) : null}
    </Stack>
  );
};
