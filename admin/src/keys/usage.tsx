/** The use of an API key by day, network and route, on the page of the key. */

import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { RelativeTime } from '../parts/time.tsx';
import { StackedBars } from '../start/stacked-bars.tsx';
import { useLanguage, useText } from '../texts/provider.ts';
import type { KeyUsage } from './api-key.ts';

const colour = {
  answered: 'light-dark(#7fae9b, #4f8a78)',
  refused: 'light-dark(#c98a2b, #f0b45a)',
} as const;

/** Requests with a key by day, and the networks that they came from. */
export const Usage = ({ usage: { last_30_days: days, networks, calls } }: { readonly usage: KeyUsage }) => {
  const text = useText();
  const language = useLanguage();
  const format = new Intl.DateTimeFormat(language, { month: 'numeric', day: 'numeric', timeZone: 'UTC' });
  const used = days.some(({ requests }) => requests > 0);
  return (
    <Stack sx={{ gap: 2 }}>
      <Paper variant="outlined" sx={{ p: 2 }}>
        {used ? (
          <StackedBars
            title={text('keys.usage')}
            labels={days.map(({ at }) => format.format(new Date(at)))}
            series={[
              {
                name: text('keys.succeeded'),
                colour: colour.answered,
                values: days.map(({ requests, refused }) => requests - refused),
              },
              {
                name: text('keys.failed'),
                colour: colour.refused,
                values: days.map(({ refused }) => refused),
              },
            ]}
          />
        ) : (
          <>
            <Typography variant="h3" component="h2">
              {text('keys.usage')}
            </Typography>
            <Typography sx={{ color: 'text.secondary', mt: 0.5 }}>{text('keys.noUsage')}</Typography>
          </>
        )}
      </Paper>
      {calls.length === 0 ? null : <Calls calls={calls} />}
      {networks.length === 0 ? null : (
        <Paper variant="outlined" sx={{ p: 2 }}>
          <Typography variant="h3" component="h2">
            {text('keys.usedNetworks')}
          </Typography>
          <Box component="ul" sx={{ m: 0, mt: 1, p: 0, listStyle: 'none', display: 'grid', gap: 0.5 }}>
            {networks.map(({ network, first_used_at }) => (
              <Typography key={network} component="li" variant="body2" sx={{ overflowWrap: 'anywhere' }}>
                {network}{' '}
                <Box component="span" sx={{ color: 'text.secondary' }}>
                  {text('keys.firstUsed')}
                  <RelativeTime value={first_used_at} />
                </Box>
              </Typography>
            ))}
          </Box>
        </Paper>
      )}
    </Stack>
  );
};

/** The latest routes called with a key, with the statuses of the responses. */
const Calls = ({ calls }: { readonly calls: KeyUsage['calls'] }) => {
  const text = useText();
  return (
    <Paper variant="outlined" sx={{ p: 2 }}>
      <Typography variant="h3" component="h2">
        {text('keys.lastRoutes')}
      </Typography>
      <Box component="ul" sx={{ m: 0, mt: 1, p: 0, listStyle: 'none', display: 'grid', gap: 0.5 }}>
        {calls.map(({ method, route, status, requests, last_at }) => (
          <Typography
            key={`${status} ${method} ${route}`}
            component="li"
            variant="body2"
            sx={{ overflowWrap: 'anywhere' }}
          >
            <code>
              {method} {route}
            </code>{' '}
            <Box component="span" sx={{ color: status >= 400 ? 'warning.main' : 'text.secondary' }}>
              {status}
            </Box>{' '}
            <Box component="span" sx={{ color: 'text.secondary' }}>
              × {requests} · <RelativeTime value={last_at} />
            </Box>
          </Typography>
        ))}
      </Box>
    </Paper>
  );
};
