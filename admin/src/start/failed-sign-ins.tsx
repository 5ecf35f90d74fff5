/** Failed sign-ins on the overview: accounts whose password is guessed at, and all others. */

import { useGetIdentity } from 'ra-core';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { Link } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { Action, Advice, daysFromNow, filtered, Line, listed, type Matter } from './matter.tsx';
import { countText, type FailedSignIn, type Statistics } from './stats.ts';

/** Failures on one account from one address within a day from which on somebody guesses its password. */
const guesses = 5;

const isAttack = ({ user, count }: FailedSignIn): boolean =>
  user !== null && !user.disabled && count >= guesses;

const keyOf = ({ user, address }: FailedSignIn): string => `sign-in ${user?.id} ${address}`;

/** Accounts whose password is guessed at. */
export const attackMatters = ({
  failed_sign_ins: { sign_ins },
}: Statistics['attention']): readonly Matter[] =>
  sign_ins
    .filter(isAttack)
    .slice(0, listed)
    .map((signIn) => ({ key: keyOf(signIn), urgency: 'now', line: <FailedSignInLine signIn={signIn} /> }));

/** Address of the audit log with the failed sign-ins of 24 hours. */
const failedSignIns = (): string =>
  filtered('/audit', {
    'action@in': 'sign_in.failed,sign_in.locked',
    'created_at@gte': daysFromNow(-1),
  });

/** Failed sign-ins of the last 24 hours that are no attack, by account and address. */
export const FailedSignIns = ({ statistics }: { readonly statistics: Statistics }) => {
  const text = useText();
  const { count, sign_ins: signIns } = statistics.attention.failed_sign_ins;
  const month = statistics.last_30_days.reduce((sum, point) => sum + point.failed_sign_ins, 0);
  return (
    <Advice
      title={text('start.failedSignIns')}
      count={`${countText(count)} · ${text('start.failedSignInsMonth', { count: month })}`}
      more={<Link to={failedSignIns()}>{text('start.showFailedSignIns')}</Link>}
    >
      {signIns
        .filter((signIn) => !isAttack(signIn))
        .slice(0, listed)
        .map((signIn) => (
          <li key={keyOf(signIn)}>
            <FailedSignInLine signIn={signIn} />
          </li>
        ))}
    </Advice>
  );
};

/** An account at which sign-ins failed; users cannot lock out themselves. */
const FailedSignInLine = ({
  signIn: { user, address, count, last_at },
}: {
  readonly signIn: FailedSignIn;
}) => {
  const text = useText();
  const { identity } = useGetIdentity();
  const [asking, setAsking] = useState<'sessions' | 'disable'>();
  const canAct =
    user !== null && !user.disabled && identity?.id !== undefined && Number(identity.id) !== user.id;
  const name = user === null ? text('start.unknownAccount') : user.username;
  const show = { label: text('start.showFailedSignIns'), to: failedSignIns() };
  return (
    <>
      <Line
        of={name}
        subject={user === null ? name : <Link to={`/users/${user.id}/show`}>{name}</Link>}
        about={
          <>
            {text('start.wrongPasswords', { smart_count: count })} · {address ?? '—'} ·{' '}
            <RelativeTime value={last_at} />
          </>
        }
        action={
          canAct ? (
            <Action label={text('users.disable')} of={name} onClick={() => setAsking('disable')} />
          ) : null
        }
        more={
          canAct ? [show, { label: text('users.endSessions'), onClick: () => setAsking('sessions') }] : [show]
        }
      />
      {canAct ? <AccountDialogs user={user} asking={asking} onClose={() => setAsking(undefined)} /> : null}
    </>
  );
};

interface AccountDialogsProps {
  readonly user: NonNullable<FailedSignIn['user']>;
  readonly asking: 'sessions' | 'disable' | undefined;
  readonly onClose: () => void;
}

/** Asks before the sessions of an account are ended, or it is disabled. */
const AccountDialogs = ({ user: { id, username }, asking, onClose }: AccountDialogsProps) => {
  const text = useText();
  const { act } = useAct();
  const change = async (user: object, done: string): Promise<void> => {
    await act(() => send('PATCH', `/admin/users/${id}`, { body: { user } }), done);
    onClose();
  };
  return (
    <>
      <Confirm
        open={asking === 'sessions'}
        title={text('users.endSessionsTitle', { name: username })}
        action={text('users.endSessions')}
        onConfirm={() => change({ end_sessions: true }, text('users.sessionsEnded'))}
        onClose={onClose}
      >
        {text('users.endSessionsLead')}
      </Confirm>
      <Confirm
        open={asking === 'disable'}
        title={`${text('users.disable')} ${username}`}
        action={text('users.disable')}
        onConfirm={() => change({ disabled: true }, text('users.disabled'))}
        onClose={onClose}
      >
        {text('users.disableHelp')}
      </Confirm>
    </>
  );
};
