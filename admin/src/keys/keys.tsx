import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { FilterField } from '../parts/filter-field.ts';
import { Icon } from '../parts/icon.tsx';
import { Link, LinkButton } from '../parts/link.tsx';
import { RecordListPage } from '../parts/record-list-page.tsx';
import type { Column } from '../parts/record-table.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { type Text, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import type { ApiKey } from './api-key.ts';
import { KeyStatus } from './key-status.tsx';
import { Lifetime } from './lifetime.tsx';

/** The columns of keys, with or without whose they are. */
export const keyColumns = (text: Text): Column<ApiKey>[] => [
  {
    name: 'name',
    label: text('keys.name'),
    render: ({ id, name, key }) => (
      <Box>
        <Typography variant="body2" sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
          <Link to={`/api_keys/${id}`}>{name}</Link>
        </Typography>
        <Typography
          variant="body2"
          component="code"
          sx={{ fontFamily: monospace, color: 'text.secondary', fontSize: 12.5 }}
        >
          {key}
        </Typography>
      </Box>
    ),
  },
  {
    name: 'user',
    label: text('keys.owner'),
    render: ({ user }) => <Link to={`/users/${user.id}/show`}>{user.username}</Link>,
  },
  { name: 'status', label: text('keys.status'), render: (apiKey) => <KeyStatus apiKey={apiKey} /> },
  {
    name: 'expires_at',
    label: text('keys.lifetime'),
    render: (apiKey) => <Lifetime life={apiKey} />,
  },
  {
    name: 'last_used_at',
    label: text('keys.lastUsedAt'),
    render: ({ last_used_at }) => <RelativeTime value={last_used_at} otherwise={text('keys.neverUsed')} />,
  },
  {
    name: 'created_at',
    label: text('common.createdAt'),
    wide: true,
    render: ({ created_at }) => <RelativeTime value={created_at} />,
  },
];

const keyFilters = (text: Text): FilterField[] => [
  {
    name: 'status',
    label: text('keys.status'),
    kind: 'choice',
    operators: ['eq'],
    choices: [
      { value: 'active', label: text('keys.active') },
      { value: 'expired', label: text('keys.expired') },
    ],
  },
  { name: 'neglected', label: text('keys.neglected'), kind: 'boolean', operators: ['eq'] },
  { name: 'user', label: text('keys.owner'), kind: 'text', operators: ['eq', 'like', 'starts_with'] },
  { name: 'name', label: text('keys.name'), kind: 'text', operators: ['like', 'eq', 'starts_with'] },
  { name: 'created_by', label: text('common.createdBy'), kind: 'number', operators: ['eq', 'null'] },
  { name: 'expires_at', label: text('keys.expiresAt'), kind: 'datetime', operators: ['lte', 'gte', 'null'] },
  {
    name: 'last_used_at',
    label: text('keys.lastUsedAt'),
    kind: 'datetime',
    operators: ['null', 'lte', 'gte'],
  },
  { name: 'created_at', label: text('common.createdAt'), kind: 'datetime', operators: ['gte', 'lte'] },
];

export const Keys = () => {
  const text = useText();
  return (
    <RecordListPage<ApiKey>
      resource="api_keys"
      title={text('keys.title')}
      lead={text('keys.lead')}
      columns={keyColumns(text)}
      filters={keyFilters(text)}
      empty={text('keys.empty')}
      deletable={({ name, key, user }) => text('common.named', { name, more: `${user.username} · ${key}` })}
      deleting="revoke"
      actions={
        <LinkButton to="/api_keys/create" variant="contained" startIcon={<Icon name="plus" />}>
          {text('keys.create')}
        </LinkButton>
      }
    />
  );
};
