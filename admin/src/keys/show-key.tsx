import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { FailurePage } from '../layout/failure.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { Facts } from '../parts/facts.tsx';
import { Link, LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { RelativeTime, Time } from '../parts/time.tsx';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import type { ApiKey, KeyUsage } from './api-key.ts';
import { ExtendKey } from './extend-key.tsx';
import { KeyStatus } from './key-status.tsx';
import { Lifetime } from './lifetime.tsx';
import { RenameKey } from './rename-key.tsx';
import { replacing } from './replacing.ts';
import { RevokeKey } from './revoke-key.tsx';
import { Usage } from './usage.tsx';

/** A key: whose it is, how long it lives, and how it is used. */
export const ShowKey = () => {
  const { id = '' } = useParams();
  const path = `/admin/api_keys/${encodeURIComponent(id)}`;
  const { data: apiKey, error } = useQuery({
    queryKey: ['key', id],
    queryFn: async () => (await send<ApiKey>('GET', path)).data,
  });
  const usage = useQuery({
    queryKey: ['key', id, 'usage'],
    refetchInterval: 60_000,
    queryFn: async () => (await send<KeyUsage>('GET', `${path}/usage`)).data,
  });
  if (error) return <FailurePage error={error} />;
  if (apiKey === undefined) return <Waiting />;
  return <Show key={apiKey.id} apiKey={apiKey} usage={usage.data} />;
};

const Show = ({ apiKey, usage }: { readonly apiKey: ApiKey; readonly usage: KeyUsage | undefined }) => {
  const text = useText();
  const { name, key, user, expires_at, last_used_at, created_at } = apiKey;
  return (
    <Page title={name} actions={<Actions apiKey={apiKey} />}>
      <Stack sx={{ gap: 2 }}>
        {apiKey.neglected ? <Alert severity="warning">{text('keys.neglectedHelp')}</Alert> : null}
        <Facts
          facts={[
            [text('keys.status'), <KeyStatus key="status" apiKey={apiKey} />],
            [text('keys.lifetime'), <Lifetime key="lifetime" life={apiKey} />],
            ...(expires_at === null
              ? []
              : [[text('keys.expiresAt'), <Time key="end" value={expires_at} format="zoned" />] as const]),
            [
              text('keys.owner'),
              <Link key="owner" to={`/users/${user.id}/show`}>
                {user.name === user.username
                  ? user.username
                  : text('common.named', { name: user.name, more: user.username })}
              </Link>,
            ],
            [
              text('keys.key'),
              <code key="key" style={{ fontFamily: monospace }}>
                {key}
              </code>,
            ],
            [
              text('keys.lastUsedAt'),
              <RelativeTime key="used" value={last_used_at} otherwise={text('keys.neverUsed')} />,
            ],
            [text('keys.lastAddress'), usage?.last_address ?? '—'],
            [text('common.createdAt'), <Time key="created" value={created_at} />],
          ]}
        />
        {usage === undefined ? <Waiting /> : <Usage usage={usage} />}
      </Stack>
    </Page>
  );
};

const Actions = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const text = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [opened, setOpened] = useState<'extend' | 'rename' | 'revoke'>();
  const close = (): void => setOpened(undefined);
  const changed = (): void => void client.invalidateQueries();
  return (
    <>
      <LinkButton to="/api_keys">{text('common.toList')}</LinkButton>
      <Button onClick={() => setOpened('rename')}>{text('keys.rename')}</Button>
      <LinkButton to={replacing(apiKey)}>{text('keys.replace')}</LinkButton>
      <Button color="error" onClick={() => setOpened('revoke')}>
        {text('keys.revoke')}
      </Button>
      {apiKey.status === 'active' ? (
        <Button variant="contained" onClick={() => setOpened('extend')}>
          {text('keys.extend')}
        </Button>
      ) : null}
      {opened === 'extend' ? <ExtendKey apiKey={apiKey} onClose={close} onDone={changed} /> : null}
      {opened === 'rename' ? <RenameKey apiKey={apiKey} onClose={close} onDone={changed} /> : null}
      {opened === 'revoke' ? (
        <RevokeKey apiKey={apiKey} onClose={close} onDone={() => void navigate('/api_keys')} />
      ) : null}
    </>
  );
};
