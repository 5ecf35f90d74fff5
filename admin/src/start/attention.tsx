/** The part of the overview with everything that needs attention, by urgency. */

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
import { attackMatters, FailedSignIns } from './failed-sign-ins.tsx';
import { expiringKeyMatters, KeysWithoutExpiry, OverPrivilegedKeys, UnusedKeys } from './key-matters.tsx';
import { Group, type Matter } from './matter.tsx';
import { serviceMatters } from './service-state.tsx';
import { countText, type Statistics } from './stats.ts';
import { webhookMatters } from './webhook-matters.tsx';
import { backlogMatters, jobMatters, mailMatters, OpenModels, UngrantedModels } from './work-matters.tsx';

interface Kind {
  readonly count: number;
  /** Text if there is none. */
  readonly calm: TextKey;
}

interface AdviceKind extends Kind {
  readonly title: TextKey;
  readonly card: ReactNode;
}

/** Every kind of matter that breaks something. */
const brokenKinds = ({ attention }: Statistics, events: boolean): readonly Kind[] => {
  const { disabled_webhooks, failing_webhooks, failed_jobs, backlog, expiring_keys } = attention;
  return [
    { count: backlog.jobs + backlog.deliveries, calm: 'start.noOverdueWork' },
    { count: failed_jobs.count, calm: 'start.noFailedJobs' },
    ...(offers('mail') ? [{ count: attention.unsent_mail.count, calm: 'start.noUnsentMail' } as const] : []),
    // Without events there are no webhooks.
    ...(events
      ? ([
          { count: disabled_webhooks.count, calm: 'start.noDisabledWebhooks' },
          { count: failing_webhooks.count, calm: 'start.noFailingWebhooks' },
        ] as const)
      : []),
    { count: expiring_keys.count, calm: 'start.noExpiringKeys' },
  ];
};

/** Every kind of advice. */
const adviceKinds = (statistics: Statistics): readonly AdviceKind[] => {
  const { attention } = statistics;
  const { neglected_keys: neglected, endless_keys: endless, wide_keys: wide } = attention;
  const { open_resources: open, ungranted_models: ungranted } = attention;
  return [
    {
      count: attention.failed_sign_ins.count,
      calm: 'start.noFailedSignIns',
      title: 'start.failedSignIns',
      card: <FailedSignIns statistics={statistics} />,
    },
    {
      count: ungranted.length,
      calm: 'start.noUngrantedModels',
      title: 'start.ungrantedModels',
      card: <UngrantedModels models={ungranted} />,
    },
    {
      count: open.length,
      calm: 'start.noOpenResources',
      title: 'start.openResources',
      card: <OpenModels models={open} />,
    },
    {
      count: neglected.count,
      calm: 'start.noUnusedKeys',
      title: 'start.unusedKeys',
      card: <UnusedKeys found={neglected} />,
    },
    {
      count: wide.count,
      calm: 'start.noOverPrivilegedKeys',
      title: 'start.overPrivilegedKeys',
      card: <OverPrivilegedKeys found={wide} />,
    },
    {
      count: endless.count,
      calm: 'start.noKeysWithoutExpiry',
      title: 'start.keysWithoutExpiry',
      card: <KeysWithoutExpiry found={endless} />,
    },
  ];
};

/** All matters, the most urgent kinds first. */
const mattersOf = ({ service, attention }: Statistics, events: boolean): readonly Matter[] => [
  ...serviceMatters(service),
  ...backlogMatters(attention),
  ...(events ? webhookMatters(attention) : []),
  ...jobMatters(attention),
  ...(offers('mail') ? mailMatters(attention) : []),
  ...attackMatters(attention),
  ...expiringKeyMatters(attention),
];

/** Matters that need attention by urgency: now, soon, and advice in a fold. One quiet line lists the others. */
export const Attention = ({ statistics }: { readonly statistics: Statistics }) => {
  const text = useText();
  const events = useModels().some((model) => model.events);
  const matters = mattersOf(statistics, events);
  const now = matters.filter(({ urgency }) => urgency === 'now');
  const soon = matters.filter(({ urgency }) => urgency === 'soon');
  const advice = adviceKinds(statistics);
  const given = advice.filter(({ count }) => count > 0);
  const calm = [...brokenKinds(statistics, events), ...advice].filter(({ count }) => count === 0);
  return (
    <Box component="section" aria-labelledby="attention">
      <Typography id="attention" variant="h2" sx={{ mb: 1, lineHeight: '28px' }}>
        {text('start.needsAttention')}{' '}
        <Box component="span" sx={{ color: 'text.secondary', fontWeight: 400 }}>
          {matters.length}
        </Box>
      </Typography>
      <Paper variant="outlined" sx={partsStyle}>
        {now.length === 0 ? null : <Group urgency="now" title={text('start.now')} matters={now} />}
        {soon.length === 0 ? null : <Group urgency="soon" title={text('start.soon')} matters={soon} />}
        {given.length === 0 ? null : <AdviceFold kinds={given} />}
        {calm.length === 0 ? null : (
          <FineKinds all={matters.length + given.length === 0} names={calm.map((kind) => kind.calm)} />
        )}
      </Paper>
    </Box>
  );
};

const partsStyle = { '& > * + *': { borderTop: 1, borderColor: 'divider' } } as const;

/** Advice in a fold: nothing breaks without it. */
const AdviceFold = ({ kinds }: { readonly kinds: readonly AdviceKind[] }) => {
  const text = useText();
  const named = kinds.map(({ title, count }) => `${text(title)} ${countText(count)}`).join(' · ');
  return (
    <Box
      component="details"
      sx={{ px: 2, py: 1.5, '& > summary': { cursor: 'pointer', typography: 'body2' } }}
    >
      <summary>
        <Box component="span" sx={{ fontWeight: 600 }}>
          {text('start.advice')}
        </Box>{' '}
        <Box component="span" sx={{ color: 'text.secondary' }}>
          {named}
        </Box>
      </summary>
      <Box component="ul" aria-label={text('start.advice')} sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {kinds.map(({ calm, card }) => (
          <Fragment key={calm}>{card}</Fragment>
        ))}
      </Box>
    </Box>
  );
};

const FineKinds = ({ all, names }: { readonly all: boolean; readonly names: readonly TextKey[] }) => {
  const text = useText();
  const named = names.map((name) => text(name)).join(text('common.separator'));
  return (
    <Stack direction="row" sx={{ gap: 1.25, px: 2, py: 1.5, alignItems: 'flex-start' }}>
      <Icon name="check" sx={{ fontSize: 18, mt: '1px', color: all ? 'success.main' : 'text.disabled' }} />
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {text(all ? 'start.nothingNeedsAttention' : 'start.restIsFine', { names: named })}
      </Typography>
    </Stack>
  );
};
