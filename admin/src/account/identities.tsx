/** The page of the own linked accounts. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { basePath } from '../base.ts';
import { AskPassword } from '../factor/ask-password.tsx';
import { Loaded } from '../layout/failure.tsx';
import { useProviderResult } from '../pages/providers.tsx';
import { Facts } from '../parts/facts.tsx';
import { Page } from '../parts/page.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';

interface LinkedAccount {
  readonly id: number;
  readonly provider: string;
  readonly subject: string;
  readonly last_used_at: string;
}

interface Provider {
  readonly name: string;
  readonly label: string;
}

/** The linked accounts of the signed-in user. */
export const Identities = () => {
  const text = useText();
  const returned = useProviderResult();
  const { act, busy } = useAct();
  const [linking, setLinking] = useState<Provider>();
  const query = useQuery({
    queryKey: ['identities'],
    queryFn: async () => {
      const [accounts, providers] = await Promise.all([
        send<readonly LinkedAccount[]>('GET', '/admin/identities'),
        send<readonly Provider[]>('GET', '/api/v1/auth/providers'),
      ]);
      return { accounts: accounts.data, providers: providers.data };
    },
  });

  const unlink = ({ id }: LinkedAccount): Promise<void> =>
    act(() => send('DELETE', `/admin/identities/${id}`));

  const link = async ({ name }: Provider, password: string): Promise<void> => {
    const body = { password, return: `${basePath}/admin/identities` };
    const { data } = await send<{ readonly url: string }>('POST', `/admin/identities/${name}`, { body });
    window.location.assign(data.url);
  };

  return (
    <Page title={text('account.identities')} lead={text('identities.lead')}>
      {returned.failed ? <Alert severity="error">{text('identities.linkFailed')}</Alert> : null}
      <Loaded query={query}>
        {({ accounts, providers }) => (
          <Stack sx={{ gap: 2, alignItems: 'flex-start' }}>
            <Facts
              facts={accounts.map((account) => [
                providers.find(({ name }) => name === account.provider)?.label ?? account.provider,
                <Stack
                  key={account.id}
                  direction="row"
                  sx={{ gap: 1, alignItems: 'center', flexWrap: 'wrap' }}
                >
                  <span>{account.subject}</span>
                  <RelativeTime value={account.last_used_at} />
                  <Button size="small" disabled={busy} onClick={() => void unlink(account)}>
                    {text('identities.unlink')}
                  </Button>
                </Stack>,
              ])}
            />
            {providers
              .filter(({ name }) => accounts.every(({ provider }) => provider !== name))
              .map((provider) => (
                <Button key={provider.name} variant="outlined" onClick={() => setLinking(provider)}>
                  {text('identities.linkWith', { name: provider.label })}
                </Button>
              ))}
          </Stack>
        )}
      </Loaded>
      {linking === undefined ? null : (
        <AskPassword
          title={text('identities.linkWith', { name: linking.label })}
          lead={text('identities.linkLead')}
          action={text('identities.link')}
          onSubmit={(password) => link(linking, password)}
          onClose={() => setLinking(undefined)}
        />
      )}
    </Page>
  );
};
