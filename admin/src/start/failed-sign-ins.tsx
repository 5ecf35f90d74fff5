import { Link } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';
import { AccountActions } from './account-actions.tsx';
import { Beneath, daysFromNow, filtered, Line, listed, Matter } from './matter.tsx';
import { countText, type Statistics } from './stats.ts';

/** The entries that the count of failed sign-ins counts. */
const failedFilter = (): Readonly<Record<string, string>> => ({
  'action@in': 'sign_in.failed,sign_in.locked',
  'created_at@gte': daysFromNow(-1),
});

/** Whose passwords somebody has guessed at within a day, and from where. */
export const FailedSignIns = ({ statistics }: { readonly statistics: Statistics }) => {
  const text = useText();
  const { count, sign_ins: signIns } = statistics.attention.failed_sign_ins;
  const month = statistics.last_30_days.reduce((sum, point) => sum + point.failed_sign_ins, 0);
  return (
    <Matter
      title={text('start.failed')}
      count={countText(count)}
      more={<Link to={filtered('/audit', failedFilter())}>{text('start.showFailed')}</Link>}
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
        <Beneath>{text('start.failedMonth', { count: month })}</Beneath>
      </Line>
    </Matter>
  );
};
