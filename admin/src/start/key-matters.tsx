import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { lazy, Suspense, useState } from 'react';
import { isReading } from '../keys/scopes.ts';
import { Link, LinkButton } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';
import { daysFromNow, filtered, Line, listed, Matter } from './matter.tsx';
import { countText, type KeyAdvice, type KeyInNeed, type KeysInNeed, type WideKey } from './stats.ts';

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

/** Keys that never expire. */
export const EndlessKeys = ({ found: { count, keys } }: { readonly found: KeysInNeed }) => {
  const text = useText();
  const endless = { 'expires_at@null': 'true' };
  return (
    <Matter
      title={text('keyAccess.endless')}
      count={countText(count)}
      more={<Link to={filtered('/api_keys', endless)}>{text('keyAccess.showEndless')}</Link>}
    >
      {keys.slice(0, listed).map((apiKey) => (
        <EndlessLine key={apiKey.id} apiKey={apiKey} />
      ))}
    </Matter>
  );
};

/** A key without an end, with the way to give it one. */
const EndlessLine = ({ apiKey }: { readonly apiKey: KeyInNeed }) => {
  const text = useText();
  const [opened, setOpened] = useState(false);
  return (
    <Line>
      <Link to={`/api_keys/${apiKey.id}`}>{apiKey.name}</Link> ·{' '}
      <Link to={`/users/${apiKey.user.id}/show`}>{apiKey.user.username}</Link>
      <Stack direction="row">
        <Button
          size="small"
          aria-label={`${text('day.keys.limit')}: ${apiKey.name}`}
          onClick={() => setOpened(true)}
        >
          {text('day.keys.limit')}
        </Button>
      </Stack>
      <Suspense fallback={null}>
        {opened ? <ExtendKey apiKey={apiKey} onClose={() => setOpened(false)} /> : null}
      </Suspense>
    </Line>
  );
};

/** Keys that may do more than they did. */
export const WideKeys = ({ found: { count, keys } }: { readonly found: KeyAdvice['wide_keys'] }) => {
  const text = useText();
  return (
    <Matter title={text('keyAccess.wide')} count={countText(count)} more={null}>
      {keys.slice(0, listed).map((apiKey) => (
        <WideLine key={apiKey.id} apiKey={apiKey} />
      ))}
    </Matter>
  );
};

const WideLine = ({ apiKey }: { readonly apiKey: WideKey }) => {
  const text = useText();
  const [opened, setOpened] = useState(false);
  const reads = isReading(apiKey.narrower_scopes);
  return (
    <Line>
      <Link to={`/api_keys/${apiKey.id}`}>{apiKey.name}</Link> ·{' '}
      {text(reads ? 'keyAccess.couldRead' : 'keyAccess.couldNarrow')}
      <Stack direction="row">
        <Button
          size="small"
          aria-label={`${text('keyAccess.narrow')}: ${apiKey.name}`}
          onClick={() => setOpened(true)}
        >
          {text('keyAccess.narrow')}
        </Button>
      </Stack>
      <Suspense fallback={null}>
        {opened ? (
          <NarrowKey apiKey={apiKey} narrower={apiKey.narrower_scopes} onClose={() => setOpened(false)} />
        ) : null}
      </Suspense>
    </Line>
  );
};

const NarrowKey = lazy(() =>
  import('../keys/narrow-key.tsx').then(({ NarrowKey: part }) => ({ default: part })),
);
const ExtendKey = lazy(() =>
  import('../keys/extend-key.tsx').then(({ ExtendKey: part }) => ({ default: part })),
);
const RevokeKey = lazy(() =>
  import('../keys/revoke-key.tsx').then(({ RevokeKey: part }) => ({ default: part })),
);

interface KeyActionsProps {
  readonly apiKey: {
    readonly id: number;
    readonly name: string;
    readonly expires_at: string | null;
    readonly user: { readonly id: number; readonly username: string };
  };
  /** Whether its end is near: then it is extended or replaced. */
  readonly ending: boolean;
}

/** The actions on a key, where it is named. */
export const KeyActions = ({ apiKey, ending }: KeyActionsProps) => {
  const text = useText();
  const [opened, setOpened] = useState<'extend' | 'revoke'>();
  const close = (): void => setOpened(undefined);
  const of = (action: string): string =>
    `${action}: ${text('common.named', { name: apiKey.name, more: apiKey.user.username })}`;
  return (
    <Stack direction="row" sx={{ ml: -0.625, flexWrap: 'wrap', '& .MuiButton-root': { minWidth: 0 } }}>
      {ending ? (
        <>
          <Button size="small" aria-label={of(text('keys.extend'))} onClick={() => setOpened('extend')}>
            {text('keys.extend')}
          </Button>
          <LinkButton size="small" to={`/api_keys/${apiKey.id}/rotate`} label={of(text('keyAccess.rotate'))}>
            {text('keyAccess.rotate')}
          </LinkButton>
        </>
      ) : null}
      <Button
        size="small"
        color="error"
        aria-label={of(text('keys.revoke'))}
        onClick={() => setOpened('revoke')}
      >
        {text('keys.revoke')}
      </Button>
      <Suspense fallback={null}>
        {opened === 'extend' ? <ExtendKey apiKey={apiKey} onClose={close} /> : null}
        {opened === 'revoke' ? <RevokeKey apiKey={apiKey} onClose={close} /> : null}
      </Suspense>
    </Stack>
  );
};
