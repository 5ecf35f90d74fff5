/** The page of an API key. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Waiting } from '../layout/waiting.tsx';
import { Link, LinkButton } from '../parts/link.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { RelativeTime, Time } from '../parts/time.tsx';
import type { OwnColumn } from '../records/own-list.tsx';
import { OwnShow } from '../records/own-show.tsx';
import { send } from '../service.ts';
import { type Text, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { type ApiKey, type KeyUsage, replacementPath } from './api-key.ts';
import { ExtendKey } from './extend-key.tsx';
import { KeyGates } from './key-gates.tsx';
import { KeyStatus, Lifetime } from './key-status.tsx';
import { RenameKey } from './rename-key.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { Usage } from './usage.tsx';

const useUsage = (id: number): KeyUsage | undefined => {
  const { data } = useQuery({
    queryKey: ['key usage', id],
    refetchInterval: 60_000,
    queryFn: async () => (await send<KeyUsage>('GET', `/admin/api_keys/${id}/usage`)).data,
  });
  return data;
};

const LastAddress = ({ id }: { readonly id: number }) => useUsage(id)?.last_address ?? '—';

const UsageOf = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const usage = useUsage(apiKey.id);
  return (
    <>
      <KeyGates apiKey={apiKey} usage={usage} />
      {usage === undefined ? <Waiting /> : <Usage usage={usage} />}
    </>
  );
};

/** The secrets of a key while two of them work, each with its last use. */
const Secrets = ({ apiKey: { secrets } }: { readonly apiKey: ApiKey }) => {
  const text = useText();
  return secrets.map(({ key, last_used_at, ends_at }) => (
    <div key={key}>
      <code style={{ fontFamily: monospace }}>{key}</code>{' '}
      {ends_at === null ? (
        text('keys.currentKey')
      ) : (
        <>
          {text('keys.replacedUntil')}
          <Time value={ends_at} format="full" />
        </>
      )}
      {' · '}
      <RelativeTime value={last_used_at} otherwise={text('keys.neverUsed')} />
    </div>
  ));
};

const facts = (text: Text): OwnColumn<ApiKey>[] => [
  { name: 'status', render: (apiKey) => <KeyStatus apiKey={apiKey} /> },
  { name: 'lifetime', label: text('keys.lifetime'), render: (apiKey) => <Lifetime life={apiKey} /> },
  {
    name: 'expires_at',
    has: ({ expires_at }) => expires_at !== null,
    render: ({ expires_at }) => <Time value={expires_at} format="zoned" />,
  },
  {
    name: 'user',
    render: ({ user: { id, name, username } }) => (
      <Link to={`/users/${id}/show`}>
        {name === username ? username : text('common.named', { name, more: username })}
      </Link>
    ),
  },
  {
    name: 'key',
    has: ({ secrets }) => secrets.length < 2,
    render: ({ key }) => <code style={{ fontFamily: monospace }}>{key}</code>,
  },
  {
    name: 'secrets',
    has: ({ secrets }) => secrets.length > 1,
    render: (apiKey) => <Secrets apiKey={apiKey} />,
  },
  {
    name: 'last_used_at',
    render: ({ last_used_at }) => <RelativeTime value={last_used_at} otherwise={text('keys.neverUsed')} />,
  },
  { name: 'last_address', label: text('keys.lastAddress'), render: ({ id }) => <LastAddress id={id} /> },
  'created_at',
];

/** The page of a key: owner, remaining life, access and use. */
export const ShowKey = () => {
  const text = useText();
  return (
    <OwnShow<ApiKey>
      resource="api_keys"
      within={text('titles.keys')}
      titleOf={({ name }) => name}
      facts={facts(text)}
      actions={(apiKey) => <Actions apiKey={apiKey} />}
      notice={({ neglected }) =>
        neglected ? <Alert severity="warning">{text('keys.unusedHelp')}</Alert> : null
      }
    >
      {(apiKey) => <UsageOf apiKey={apiKey} />}
    </OwnShow>
  );
};

const Actions = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const text = useText();
  const navigate = useNavigate();
  const [opened, setOpened] = useState<'extend' | 'rename' | 'revoke'>();
  const close = (): void => setOpened(undefined);
  return (
    <>
      {apiKey.status === 'active' ? (
        <LinkButton to={`/api_keys/${apiKey.id}/rotate`} variant="outlined">
          {text('keys.rotate')}
        </LinkButton>
      ) : (
        <LinkButton to={replacementPath(apiKey)} variant="outlined">
          {text('keys.replace')}
        </LinkButton>
      )}
      {apiKey.status === 'active' ? (
        <Button
          variant={apiKey.expires_at === null ? 'text' : 'contained'}
          onClick={() => setOpened('extend')}
        >
          {text(apiKey.expires_at === null ? 'keys.setExpiry' : 'keys.extend')}
        </Button>
      ) : null}
      <MoreMenu
        items={[
          { label: text('keys.access.edit'), to: `/api_keys/${apiKey.id}/access` },
          { label: text('keys.rename'), onClick: () => setOpened('rename') },
          { label: text('common.revoke'), dangerous: true, onClick: () => setOpened('revoke') },
        ]}
      />
      {opened === 'extend' ? <ExtendKey apiKey={apiKey} onClose={close} /> : null}
      {opened === 'rename' ? <RenameKey apiKey={apiKey} onClose={close} /> : null}
      {opened === 'revoke' ? (
        <RevokeKey apiKey={apiKey} onClose={close} onLeave={() => navigate('/api_keys')} />
      ) : null}
    </>
  );
};
