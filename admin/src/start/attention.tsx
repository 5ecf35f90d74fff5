/** The part of the overview with everything that needs attention. */

import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { Fragment, type ReactNode } from 'react';
import { offers } from '../offered.ts';
import { Icon } from '../parts/icon.tsx';
import { useModels } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import type { TextKey } from '../texts/texts.ts';
import { FailedSignIns } from './failed-sign-ins.tsx';
import { ExpiringKeys, KeysWithoutExpiry, OverPrivilegedKeys, UnusedKeys } from './key-matters.tsx';
import type { Statistics } from './stats.ts';
import { DisabledWebhooks, FailingWebhooks } from './webhook-matters.tsx';
import { Backlog, FailedJobs, OpenModels, UngrantedModels, UnsentMail } from './work-matters.tsx';

interface Kind {
  readonly count: number;
  /** Text if there is none. */
  readonly calm: TextKey;
  readonly card: ReactNode;
}

/** Every kind of matter that may need attention, the most urgent first. */
const kindsOf = (statistics: Statistics, events: boolean): readonly Kind[] => {
  const { attention } = statistics;
  const { disabled_webhooks: disabled, failing_webhooks: failing, failed_jobs: jobs, backlog } = attention;
  const { expiring_keys: expiring, neglected_keys: neglected } = attention;
  const { endless_keys: endless, wide_keys: wide } = attention;
  const { open_resources: open, ungranted_models: ungranted } = attention;
  const { unsent_mail: unsent } = attention;
  const mail = {
    count: unsent.count,
    calm: 'start.noUnsentMail',
    card: <UnsentMail found={unsent} />,
  } as const;
  const webhooks: readonly Kind[] = [
    { count: disabled.count, calm: 'start.noDisabledWebhooks', card: <DisabledWebhooks found={disabled} /> },
    { count: failing.count, calm: 'start.noFailingWebhooks', card: <FailingWebhooks found={failing} /> },
  ];
  return [
    {
      count: backlog.jobs + backlog.deliveries,
      calm: 'start.noOverdueWork',
      card: <Backlog backlog={backlog} />,
    },
    { count: jobs.count, calm: 'start.noFailedJobs', card: <FailedJobs found={jobs} /> },
    ...(offers('mail') ? [mail] : []),
    // Without events there are no webhooks.
    ...(events ? webhooks : []),
    {
      count: attention.failed_sign_ins.count,
      calm: 'start.noFailedSignIns',
      card: <FailedSignIns statistics={statistics} />,
    },
    { count: expiring.count, calm: 'start.noExpiringKeys', card: <ExpiringKeys found={expiring} /> },
    { count: neglected.count, calm: 'start.noUnusedKeys', card: <UnusedKeys found={neglected} /> },
    { count: wide.count, calm: 'start.noOverPrivilegedKeys', card: <OverPrivilegedKeys found={wide} /> },
    { count: endless.count, calm: 'start.noKeysWithoutExpiry', card: <KeysWithoutExpiry found={endless} /> },
    { count: open.length, calm: 'start.noOpenResources', card: <OpenModels models={open} /> },
    {
      count: ungranted.length,
      calm: 'start.noUngrantedModels',
      card: <UngrantedModels models={ungranted} />,
    },
  ];
};

/** The matters that need attention, each with its actions; one quiet line lists the others. */
export const Attention = ({ statistics }: { readonly statistics: Statistics }) => {
  const text = useText();
  const events = useModels().some((model) => model.events);
  const kinds = kindsOf(statistics, events);
  const waiting = kinds.filter(({ count }) => count > 0);
  const calm = kinds.filter(({ count }) => count === 0);
  return (
    <Box component="section" aria-labelledby="attention">
      <Typography id="attention" variant="h2" sx={{ mb: 1, lineHeight: '28px' }}>
        {text('start.needsAttention')}{' '}
        <Box component="span" sx={{ color: 'text.secondary', fontWeight: 400 }}>
          {waiting.length}
        </Box>
      </Typography>
      <Paper variant="outlined">
        {waiting.length === 0 ? null : (
          <Box
            component="ul"
            aria-label={text('start.needsAttention')}
            sx={{ m: 0, p: 0, listStyle: 'none' }}
          >
            {waiting.map(({ calm: name, card }) => (
              <Fragment key={name}>{card}</Fragment>
            ))}
          </Box>
        )}
        {calm.length === 0 ? null : (
          <FineKinds all={waiting.length === 0} names={calm.map((kind) => kind.calm)} />
        )}
      </Paper>
    </Box>
  );
};

const FineKinds = ({ all, names }: { readonly all: boolean; readonly names: readonly TextKey[] }) => {
  const text = useText();
  const named = names.map((name) => text(name)).join(text('common.separator'));
  return (
    <Stack
      direction="row"
      sx={{
        gap: 1.25,
        px: 2,
        py: 1.5,
        alignItems: 'flex-start',
        ...(all ? {} : { borderTop: 1, borderColor: 'divider' }),
      }}
    >
      <Icon name="check" sx={{ fontSize: 18, mt: '1px', color: all ? 'success.main' : 'text.disabled' }} />
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {text(all ? 'start.nothingNeedsAttention' : 'start.restIsFine', { names: named })}
      </Typography>
    </Stack>
  );
};
