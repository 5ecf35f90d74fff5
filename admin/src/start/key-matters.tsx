import { Link } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';
import { KeyActions } from './key-actions.tsx';
import { daysFromNow, filtered, Line, listed, Matter } from './matter.tsx';
import { countText, type KeyInNeed, type KeysInNeed } from './stats.ts';

const Key = ({ apiKey, ending }: { readonly apiKey: KeyInNeed; readonly ending: boolean }) => (
  <Line>
    <Link to={`/api_keys/${apiKey.id}`}>{apiKey.name}</Link> ·{' '}
    <Link to={`/users/${apiKey.user.id}/show`}>{apiKey.user.username}</Link>
    {ending ? (
      <>
        {' · '}
        <RelativeTime value={apiKey.expires_at} />
      </>
    ) : null}
    <KeyActions apiKey={apiKey} ending={ending} />
  </Line>
);

/** Keys that end within a month. */
export const ExpiringKeys = ({ found: { count, keys } }: { readonly found: KeysInNeed }) => {
  const text = useText();
  const soon = { 'expires_at@gte': daysFromNow(0), 'expires_at@lte': daysFromNow(30) };
  return (
    <Matter
      title={text('start.expiring')}
      count={countText(count)}
      more={<Link to={filtered('/api_keys', soon)}>{text('start.showExpiring')}</Link>}
    >
      {keys.slice(0, listed).map((apiKey) => (
        <Key key={apiKey.id} apiKey={apiKey} ending />
      ))}
    </Matter>
  );
};

/** Keys that are valid and unused. */
export const NeglectedKeys = ({ found: { count, keys } }: { readonly found: KeysInNeed }) => {
  const text = useText();
  return (
    <Matter
      title={text('start.unused')}
      count={countText(count)}
      more={<Link to={filtered('/api_keys', { 'neglected@eq': 'true' })}>{text('start.showUnused')}</Link>}
    >
      {keys.slice(0, listed).map((apiKey) => (
        <Key key={apiKey.id} apiKey={apiKey} ending={false} />
      ))}
    </Matter>
  );
};
