/** The page of all API keys, and the columns of its list. */

import Box from '@mui/material/Box';
import { Link, LinkButton } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { type Text, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { AccessInShort } from './access-words.tsx';
import type { ApiKey } from './api-key.ts';
import { KeyAdvice } from './key-advice.tsx';
import { KeyStatus, Lifetime } from './key-status.tsx';

/** Fields that other columns or the page of a key show. */
export const hiddenKeyFields: readonly string[] = [
  'id',
  'networks',
  'limit',
  'quota',
  'rotated_at',
  'secrets',
  'neglected',
  'created_by',
];

export const keyColumns = (text: Text): OwnColumn<ApiKey>[] => [
  {
    name: 'name',
    names: true,
    render: ({ id, name }) => <Link to={`/api_keys/${id}`}>{name}</Link>,
  },
  {
    name: 'key',
    render: ({ key }) => (
      <Box component="code" sx={{ fontFamily: monospace, color: 'text.secondary', fontSize: 'var(--meta)' }}>
        {key}
      </Box>
    ),
  },
  {
    name: 'user',
    bare: true,
    render: ({ user }) => <Link to={`/users/${user.id}/show`}>{user.username}</Link>,
  },
  { name: 'scopes', sortable: false, render: (apiKey) => <AccessInShort access={apiKey} /> },
  { name: 'status', early: true, render: (apiKey) => <KeyStatus apiKey={apiKey} /> },
  {
    name: 'expires_at',
    label: text('keys.lifetime'),
    early: true,
    bare: true,
    render: (apiKey) => <Lifetime life={apiKey} />,
  },
  {
    name: 'last_used_at',
    render: ({ last_used_at }) => <RelativeTime value={last_used_at} otherwise={text('keys.neverUsed')} />,
  },
  { name: 'created_at', extra: true },
];

export const Keys = () => {
  const text = useText();
  return (
    <OwnList<ApiKey>
      resource="api_keys"
      title={text('titles.keys')}
      lead={text('keys.lead')}
      columns={keyColumns(text)}
      hidden={hiddenKeyFields}
      empty={text('keys.empty')}
      deletable={({ name, key, user }) => text('common.named', { name, more: `${user.username} · ${key}` })}
      deleting="revoke"
      actions={
        <LinkButton to="/api_keys/create" variant="contained" shortcut="c">
          {text('titles.newKey')}
        </LinkButton>
      }
    >
      <KeyAdvice />
    </OwnList>
  );
};
