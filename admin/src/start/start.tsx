import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import { useQuery } from '@tanstack/react-query';
import { Waiting } from '../layout/waiting.tsx';
import { Failed } from '../parts/failed.tsx';
import { Page } from '../parts/page.tsx';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { Attention } from './attention.tsx';
import { FirstSteps } from './first-steps.tsx';
import { ServiceState } from './service-state.tsx';
import type { Statistics } from './stats.ts';
import { Traffic } from './traffic.tsx';

/** Two columns: matters that need attention, and the traffic; one column on narrow screens. */
const halves = {
  display: 'grid',
  gap: 3,
  alignItems: 'start',
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) minmax(0, 1fr)' },
} as const;

/** The start page: the state of the service, matters that need attention, and the traffic. */
export const Start = () => {
  const text = useText();
  const { data, error } = useQuery({
    queryKey: ['stats'],
    refetchInterval: 60_000,
    queryFn: async () => (await send<Statistics>('GET', '/admin/stats')).data,
  });
  return (
    <Page title={text('titles.start')}>
      {error ? (
        <Box sx={{ mb: 2 }}>
          <Failed error={error} />
        </Box>
      ) : null}
      {data === undefined ? (
        error ? null : (
          <Waiting />
        )
      ) : (
        <Stack sx={{ gap: 3 }}>
          <ServiceState state={data.service} />
          <FirstSteps steps={data.first_steps} />
          <Box sx={halves}>
            <Attention statistics={data} />
            <Traffic statistics={data} />
          </Box>
        </Stack>
      )}
    </Page>
  );
};
