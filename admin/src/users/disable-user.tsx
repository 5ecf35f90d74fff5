/** The button that disables or enables a user, with its question. */

import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useGetIdentity, usePermissions } from 'ra-core';
import { useState } from 'react';
import { ReferenceRow } from '../deletion/consequences.tsx';
import { useForecast } from '../deletion/forecast.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useAct } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { mayManage, type User } from './user.ts';

interface DisableUserProps {
  readonly user: User;
  /** True for the smaller button in a list. */
  readonly small?: boolean;
}

/** Disables a user, or enables them again: in lists, and on their page. */
export const DisableUser = ({ user, small = false }: DisableUserProps) => {
  const text = useText();
  const { permissions: own } = usePermissions<readonly string[]>();
  const { identity } = useGetIdentity();
  const { busy, act } = useAct();
  const [asking, setAsking] = useState(false);
  if (!mayManage(user, own) || identity?.id === user.id) return null;
  const { id, username, disabled } = user;
  const action = text(disabled ? 'users.disabling.enable' : 'users.disabling.disable');
  const change = async (): Promise<void> => {
    const done = text(disabled ? 'users.disabling.enabled' : 'users.disabling.disabled', { name: username });
    await act(() => send('PATCH', `/admin/users/${id}`, { body: { user: { disabled: !disabled } } }), done);
    setAsking(false);
  };
  return (
    <>
      <Button
        {...(small ? { size: 'small' as const } : {})}
        loading={busy}
        aria-label={`${action}: ${username}`}
        onClick={() => (disabled ? void change() : setAsking(true))}
      >
        {action}
      </Button>
      {asking ? (
        <Confirm
          open
          wide
          title={text('users.disabling.title', { name: username })}
          action={action}
          onConfirm={change}
          onClose={() => setAsking(false)}
        >
          {text('users.disabling.lead')}
          <Owned user={user} />
        </Confirm>
      ) : null}
    </>
  );
};

/** The records that a user owns or created, by kind, with links to lists of exactly these. */
const Owned = ({ user }: { readonly user: User }) => {
  const text = useText();
  const { data } = useForecast('users', [user.id]);
  if (data === undefined) return null;
  if (data.references.length === 0)
    return <Typography component="span"> {text('users.disabling.nothing')}</Typography>;
  return (
    <>
      <Typography component="span" sx={{ display: 'block', mt: 1.5, fontWeight: 600 }}>
        {text('users.disabling.owned')}
      </Typography>
      <ul aria-label={text('users.disabling.owned')}>
        {data.references.map((reference) => (
          <li key={`${reference.model} ${reference.field}`}>
            <ReferenceRow reference={reference} name={user.username} />
          </li>
        ))}
      </ul>
    </>
  );
};
