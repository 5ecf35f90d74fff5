/** The page of all webhooks. */

import Box from '@mui/material/Box';
import { Link, LinkButton } from '../parts/link.tsx';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { useModelName, useWords } from '../records/use-metadata.ts';
import { type Text, useText } from '../texts/provider.ts';
import { ActingUser, WebhookState } from './states.tsx';
import { actionsText, type Webhook, waitingText, webhookName } from './webhook.ts';

/** The reason why the service has disabled a webhook. */
const Reason = ({ reason }: { readonly reason: string | null }) => {
  const wordOf = useWords('webhooks');
  if (reason === null || reason === 'by_hand') return null;
  return (
    <Box component="span" sx={{ color: 'text.secondary' }}>
      {' · '}
      {wordOf('disabled_reason', reason)}
    </Box>
  );
};

/** Fields that other columns or the page of a webhook show. */
const hidden: readonly string[] = [
  'id',
  'actions',
  'user_id',
  'created_by',
  'managed',
  'disabled',
  'disabled_reason',
  'disabled_at',
  'previous_until',
  'paused_until',
  'failure_status',
  'failure_error',
  'failure_body',
  'last_outcome',
  'created_at',
];

const columns = (text: Text, nameOf: (model: string) => string): OwnColumn<Webhook>[] => [
  {
    name: 'url',
    fixed: true,
    names: true,
    render: ({ id, url }) => <Link to={`/webhooks/${id}/show`}>{webhookName({ url })}</Link>,
  },
  {
    // The first click on the heading shows the most failures first.
    name: 'failures',
    label: text('webhooks.state'),
    align: 'left',
    render: (webhook) => (
      <>
        <WebhookState webhook={webhook} />
        <Reason reason={webhook.disabled_reason} />
      </>
    ),
  },
  {
    name: 'waiting',
    render: ({ waiting }) => waitingText(waiting),
  },
  {
    name: 'models',
    label: text('webhooks.events'),
    render: ({ models, actions }) =>
      `${models.map(nameOf).join(text('common.separator'))} · ${actionsText(text, actions)}`,
  },
  {
    name: 'username',
    render: (webhook) => <ActingUser webhook={webhook} />,
  },
  {
    name: 'updated_at',
    wide: true,
  },
];

/** Webhooks, failing ones first. */
export const Webhooks = () => {
  const text = useText();
  const nameOf = useModelName();
  return (
    <OwnList<Webhook>
      resource="webhooks"
      title={text('titles.webhooks')}
      lead={text('webhooks.lead')}
      sort={{ field: 'failures', order: 'DESC' }}
      columns={columns(text, nameOf)}
      hidden={hidden}
      to={({ id }) => `/webhooks/${id}/show`}
      searchable={false}
      empty={text('webhooks.empty')}
      actions={
        <LinkButton to="/webhooks/create" variant="contained" shortcut="c">
          {text('webhooks.create')}
        </LinkButton>
      }
    />
  );
};
