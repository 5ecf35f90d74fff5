/** The card of failed sign-ins on the overview. */

import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useGetIdentity } from 'ra-core';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { Link } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { daysFromNow, filtered, Line, listed, Matter, SecondaryText } from './matter.tsx';
import { countText, type FailedSignIn, type Statistics } from './stats.ts';

/** Filter of the audit log for failed sign-ins of 24 hours. */
const failedFilter = (): Readonly<Record<string, string>> => ({
  'action@in': 'sign_in.failed,sign_in.locked',
  'created_at@gte': daysFromNow(-1),
});

/** Failed sign-ins of the last 24 hours, by account and address. */
export const FailedSignIns = ({ statistics }: { readonly statistics: Statistics }) => {
  const text = useText();
  const { count, sign_ins: signIns } = statistics.attention.failed_sign_ins;
  const month = statistics.last_30_days.reduce((sum, point) => sum + point.failed_sign_ins, 0);
  return (
    <Matter
      title={text('start.failedSignIns')}
      count={countText(count)}
      more={<Link to={filtered('/audit', failedFilter())}>{text('start.showFailedSignIns')}</Link>}
    >
      {signIns.slice(0, listed).map(({ user, address, count: times, last_at }) => (
        <Line key={`${user?.id} ${address}`}>
          {user === null ? (
            text('start.unknownAccount')
          ) : (
            <Link to={`/users/${user.id}/show`}>{user.username}</Link>
          )}
          {' · '}
          {address ?? '—'} · {text('start.times', { count: times })} · <RelativeTime value={last_at} />
          {user === null ? null : <AccountActions user={user} />}
        </Line>
      ))}
      <Line>
        <SecondaryText>{text('start.failedSignInsMonth', { count: month })}</SecondaryText>
      </Line>
    </Matter>
  );
};

type Account = NonNullable<FailedSignIn['user']>;

/** Actions on an account under attack; users cannot lock out themselves. */
export const AccountActions = ({ user: { id, username, disabled } }: { readonly user: Account }) => {
  const text = useText();
  const { act } = useAct();
  const { identity } = useGetIdentity();
  const [asking, setAsking] = useState<'sessions' | 'disable'>();
  if (disabled || identity?.id === undefined || Number(identity.id) === id) return null;
  const close = (): void => setAsking(undefined);
  const change = async (user: object, done: string): Promise<void> => {
    await act(() => send('PATCH', `/admin/users/${id}`, { body: { user } }), done);
    close();
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
