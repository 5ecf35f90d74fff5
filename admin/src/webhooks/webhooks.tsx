import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { FilterField } from '../parts/filter-field.ts';
import { Icon } from '../parts/icon.tsx';
import { Link, LinkButton } from '../parts/link.tsx';
import { RecordListPage } from '../parts/record-list-page.tsx';
import type { Column } from '../parts/record-table.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useModelName } from '../records/use-metadata.ts';
import { type Text, useText } from '../texts/provider.ts';
import { ActingUser } from './acting-user.tsx';
import { WebhookState } from './states.tsx';
import { actionsText, disabledReasons, type Webhook, waitingText, webhookName } from './webhook.ts';

const columns = (text: Text, nameOf: (model: string) => string): Column<Webhook>[] => [
  {
    name: 'url',
    label: text('webhooks.url'),
    fixed: true,
    render: ({ id, url }) => (
      <Box sx={{ minWidth: { sm: 220 }, overflowWrap: 'anywhere' }}>
        <Link to={`/webhooks/${id}/show`}>{webhookName({ url })}</Link>
      </Box>
    ),
  },
  {
    // What has failed the most stands first.
    name: 'failures',
    label: text('webhooks.state'),
    render: (webhook) => (
      <Box>
        <WebhookState webhook={webhook} />
        {webhook.disabled_reason === null || webhook.disabled_reason === 'by_hand' ? null : (
          <Typography variant="body2" sx={{ color: 'text.secondary', mt: 0.5 }}>
            {text(`webhooks.reasons.${webhook.disabled_reason}`)}
          </Typography>
        )}
      </Box>
    ),
  },
  {
    name: 'waiting',
    label: text('webhooks.waiting'),
    sortable: false,
    align: 'right',
    render: ({ waiting }) => waitingText(waiting),
  },
  {
    name: 'models',
    label: text('webhooks.events'),
    sortable: false,
    render: ({ models, actions }) =>
      `${models.map(nameOf).join(text('memberships.separator'))} · ${actionsText(text, actions)}`,
  },
  {
    name: 'username',
    label: text('webhooks.user'),
    render: (webhook) => <ActingUser webhook={webhook} />,
  },
  {
    name: 'updated_at',
    label: text('common.updatedAt'),
    wide: true,
    short: true,
    render: ({ updated_at }) => <RelativeTime value={updated_at} />,
  },
];

const filters = (text: Text): FilterField[] => [
  { name: 'disabled', label: text('webhooks.disabled'), kind: 'boolean', operators: ['eq'] },
  {
    name: 'disabled_reason',
    label: text('webhooks.reason'),
    kind: 'choice',
    operators: ['eq'],
    choices: disabledReasons.map((value) => ({ value, label: text(`webhooks.reasons.${value}`) })),
  },
  { name: 'failures', label: text('webhooks.failures'), kind: 'number', operators: ['gte', 'eq'] },
  { name: 'url', label: text('webhooks.url'), kind: 'text', operators: ['like', 'eq', 'starts_with'] },
  { name: 'created_by', label: text('common.createdBy'), kind: 'number', operators: ['eq', 'null'] },
];

/** Who is told of changes by HTTP, what fails first. */
export const Webhooks = () => {
  const text = useText();
  const nameOf = useModelName();
  return (
    <RecordListPage<Webhook>
      resource="webhooks"
      title={text('webhooks.title')}
      lead={text('webhooks.lead')}
      sort={{ field: 'failures', order: 'DESC' }}
      columns={columns(text, nameOf)}
      to={({ id }) => `/webhooks/${id}/show`}
      filters={filters(text)}
      searchable={false}
      empty={text('webhooks.empty')}
      actions={
        <LinkButton to="/webhooks/create" variant="contained" startIcon={<Icon name="plus" />}>
          {text('webhooks.create')}
        </LinkButton>
      }
    />
  );
};
