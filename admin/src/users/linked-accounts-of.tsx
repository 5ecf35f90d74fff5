/** The linked accounts of a user, on the page of the user. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { Failed } from '../parts/failed.tsx';
import { Section } from '../parts/section.tsx';
import { RelativeTime, Time } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { User } from './user.ts';

/** An account at a provider, as `/admin/users/:id/identities` returns it. */
interface LinkedAccount {
  readonly id: number;
  readonly provider: string;
  readonly subject: string;
  readonly created_at: string;
  readonly last_used_at: string;
}

interface Provider {
  readonly name: string;
  readonly label: string;
}

interface LinkedAccountsOfProps {
  readonly user: Pick<User, 'id' | 'username'>;
  readonly canUnlink: boolean;
}

/** The accounts at identity providers with which a user can sign in. */
export const LinkedAccountsOf = ({ user, canUnlink }: LinkedAccountsOfProps) => {
  const text = useText();
  const { act } = useAct();
  const [asking, setAsking] = useState<LinkedAccount>();
  const path = `/admin/users/${user.id}/identities`;
  const { data, error } = useQuery({
    queryKey: ['linked-accounts', user.id],
    queryFn: async () => {
      const [accounts, providers] = await Promise.all([
        send<readonly LinkedAccount[]>('GET', path),
        send<readonly Provider[]>('GET', '/api/v1/auth/providers'),
      ]);
      return { accounts: accounts.data, providers: providers.data };
    },
  });
  const labelOf = (provider: string): string =>
    data?.providers.find(({ name }) => name === provider)?.label ?? provider;
  const unlink = async ({ id }: LinkedAccount): Promise<void> => {
    await act(() => send('DELETE', `${path}/${id}`), text('identities.unlinked'));
    setAsking(undefined);
  };
  return (
    <Section title={text('account.identities')}>
      {error === null ? null : <Failed error={error} />}
      {data === undefined ? null : (
        <Paper variant="outlined" sx={{ p: 2 }}>
          {data.accounts.length === 0 ? (
            <Typography sx={{ color: 'text.secondary' }}>{text('identities.none')}</Typography>
          ) : (
            <Stack component="ul" sx={{ m: 0, p: 0, listStyle: 'none', gap: 1 }}>
              {data.accounts.map((account) => (
                <Account
                  key={account.id}
                  account={account}
                  label={labelOf(account.provider)}
                  onUnlink={canUnlink ? () => setAsking(account) : undefined}
                />
              ))}
            </Stack>
          )}
        </Paper>
      )}
      {asking === undefined ? null : (
        <Confirm
          open
          title={text('identities.unlinkTitle', { name: user.username, provider: labelOf(asking.provider) })}
          action={text('identities.unlink')}
          onConfirm={() => unlink(asking)}
          onClose={() => setAsking(undefined)}
        >
          {text('identities.unlinkLead', { subject: asking.subject })}
        </Confirm>
      )}
    </Section>
  );
};

interface AccountProps {
  readonly account: LinkedAccount;
  readonly label: string;
  /** Undefined if the caller may not unlink it. */
  readonly onUnlink: (() => void) | undefined;
}

const Account = ({ account, label, onUnlink }: AccountProps) => {
  const text = useText();
  const { subject, created_at, last_used_at } = account;
  return (
    <Stack
      component="li"
      direction="row"
      sx={{ columnGap: 2, rowGap: 0.5, flexWrap: 'wrap', alignItems: 'center' }}
    >
      <Typography component="span" variant="body2" sx={{ overflowWrap: 'anywhere', minWidth: 0 }}>
        {label} · {subject}{' '}
        <Box component="span" sx={{ color: 'text.secondary' }}>
          · {text('identities.since')}
          <Time value={created_at} format="full" /> · {text('identities.lastUsed')}
          <RelativeTime value={last_used_at} />
        </Box>
      </Typography>
      {onUnlink === undefined ? null : (
        <Button size="small" onClick={onUnlink}>
          {text('identities.unlink')}
        </Button>
      )}
    </Stack>
  );
};
