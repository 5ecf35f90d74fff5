/** The state and the remaining life of an API key. */

import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import { Status } from '../parts/status.tsx';
import { RelativeTime, useExactTime } from '../parts/time.tsx';
import { useNow } from '../parts/use-now.ts';
import { useWords } from '../records/use-metadata.ts';
import { type Text, useText } from '../texts/provider.ts';
import type { ApiKey } from './api-key.ts';

/** The state of a key: valid, unused for long, or expired. */
export const KeyStatus = ({ apiKey }: { readonly apiKey: Pick<ApiKey, 'status' | 'neglected'> }) => {
  const text = useText();
  const wordOf = useWords('api_keys');
  const active = apiKey.status === 'active';
  return (
    <Stack component="span" direction="row" sx={{ display: 'inline-flex', gap: 1.5 }}>
      <Status tone={active ? 'good' : 'off'}>{wordOf('status', apiKey.status)}</Status>
      {apiKey.neglected ? (
        <Status tone="attention" title={text('keys.unusedHelp')}>
          {text('keys.unused')}
        </Status>
      ) : null}
    </Stack>
  );
};

const hour = 3_600_000;
const day = 24 * hour;

/** A key whose end is nearer than this is marked. */
const near = 14 * day;

type Life = Pick<ApiKey, 'created_at' | 'expires_at'>;

/** The time left in words: in days, and in hours on the last day. */
const leftText = (text: Text, left: number, whole: number): string => {
  if (left < day) return text('keys.hoursLeft', { count: Math.max(1, Math.floor(left / hour)) });
  return text('keys.daysLeft', { left: Math.round(left / day), whole: Math.round(whole / day) });
};

/** The remaining life of a key: a bar, and words. */
export const Lifetime = ({ life: { created_at, expires_at } }: { readonly life: Life }) => {
  const text = useText();
  const exact = useExactTime();
  const now = useNow();
  if (expires_at === null)
    return (
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {text('keys.neverExpires')}
      </Box>
    );
  const end = Date.parse(expires_at);
  const left = end - now;
  if (left <= 0)
    return (
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {text('keys.expired')} · <RelativeTime value={expires_at} />
      </Box>
    );
  const whole = Math.max(end - Date.parse(created_at), left);
  const colour = left < near ? 'var(--lantern-light)' : 'var(--control)';
  return (
    <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 1 }}>
      <Box
        component="span"
        aria-hidden
        sx={{ flex: 'none', width: 40, height: 4, borderRadius: 2, bgcolor: 'divider', overflow: 'hidden' }}
      >
        <Box
          component="span"
          sx={{
            display: 'block',
            height: '100%',
            minWidth: 3,
            width: `${(left / whole) * 100}%`,
            bgcolor: colour,
          }}
        />
      </Box>
      <time dateTime={expires_at} title={exact(expires_at)} style={{ whiteSpace: 'nowrap' }}>
        {leftText(text, left, whole)}
      </time>
    </Box>
  );
};
