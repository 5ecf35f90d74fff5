import Button from '@mui/material/Button';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useGetIdentity, useNotify } from 'react-admin';
import { Confirm } from '../parts/confirm.tsx';
import { useTell } from '../parts/problem.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { FailedSignIn } from './stats.ts';

type Account = NonNullable<FailedSignIn['user']>;

/** Shuts an account out whose password somebody is guessing; nobody shuts out themselves. */
export const DisableUser = ({ user: { id, username, disabled } }: { readonly user: Account }) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const client = useQueryClient();
  const { identity } = useGetIdentity();
  const [asking, setAsking] = useState(false);
  if (disabled || identity?.id === undefined || Number(identity.id) === id) return null;
  const disable = async (): Promise<void> => {
    try {
      await send('PATCH', `/admin/users/${id}`, { body: { user: { disabled: true } } });
      notify(text('users.disabled'), { type: 'success' });
    } catch (error) {
      tell(error);
    }
    setAsking(false);
    await client.invalidateQueries();
  };
  return (
    <>
      <Button
        size="small"
        color="error"
        aria-label={`${text('users.disable')}: ${username}`}
        onClick={() => setAsking(true)}
      >
        {text('users.disable')}
      </Button>
      <Confirm
        open={asking}
        title={`${text('users.disable')} ${username}`}
        action={text('users.disable')}
        onConfirm={disable}
        onClose={() => setAsking(false)}
      >
        {text('users.disableHelp')}
      </Confirm>
    </>
  );
};
