import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useQueryClient } from '@tanstack/react-query';
import { useGetIdentity, useNotify } from 'ra-core';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { useTell } from '../parts/problem.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { FailedSignIn } from './stats.ts';

type Account = NonNullable<FailedSignIn['user']>;

/** The actions on an account whose password is being guessed; users cannot shut out themselves. */
export const AccountActions = ({ user: { id, username, disabled } }: { readonly user: Account }) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const client = useQueryClient();
  const { identity } = useGetIdentity();
  const [asking, setAsking] = useState<'sessions' | 'disable'>();
  if (disabled || identity?.id === undefined || Number(identity.id) === id) return null;
  const close = (): void => setAsking(undefined);
  const change = async (user: object, done: string): Promise<void> => {
    try {
      await send('PATCH', `/admin/users/${id}`, { body: { user } });
      notify(done, { type: 'success' });
    } catch (error) {
      tell(error);
    }
    close();
    await client.invalidateQueries();
  };
  return (
    <Stack direction="row" sx={{ ml: -0.625, flexWrap: 'wrap' }}>
      <Button
        size="small"
        sx={{ minWidth: 0 }}
        aria-label={`${text('users.endSessions')}: ${username}`}
        onClick={() => setAsking('sessions')}
      >
        {text('users.endSessions')}
      </Button>
      <Button
        size="small"
        color="error"
        sx={{ minWidth: 0 }}
        aria-label={`${text('users.disable')}: ${username}`}
        onClick={() => setAsking('disable')}
      >
        {text('users.disable')}
      </Button>
      <Confirm
        open={asking === 'sessions'}
        title={text('users.endSessionsTitle', { name: username })}
        action={text('users.endSessions')}
        onConfirm={() => change({ end_sessions: true }, text('users.sessionsEnded'))}
        onClose={close}
      >
        {text('users.endSessionsLead')}
      </Confirm>
      <Confirm
        open={asking === 'disable'}
        title={`${text('users.disable')} ${username}`}
        action={text('users.disable')}
        onConfirm={() => change({ disabled: true }, text('users.disabled'))}
        onClose={close}
      >
        {text('users.disableHelp')}
      </Confirm>
    </Stack>
  );
};
