/** The cards about API keys on the overview. */

import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { Fragment, lazy, type ReactNode, Suspense, useState } from 'react';
import { isReading } from '../keys/scopes.ts';
import { Link, LinkButton } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';
import type { TextKey } from '../texts/texts.ts';
import { daysFromNow, filtered, Line, listed, Matter } from './matter.tsx';
import { countText, type KeyAdvice, type KeyInNeed, type KeysInNeed } from './stats.ts';

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

interface KeysMatterProps<Found extends KeyInNeed> {
  readonly title: TextKey;
  readonly found: { readonly count: number; readonly keys: readonly Found[] };
  /** Text of the link to all of them, and the filter of their list. */
  readonly all?: readonly [TextKey, Readonly<Record<string, string>>];
  readonly children: (apiKey: Found) => ReactNode;
}

/** Keys with the same need, with a line for each of the first ones. */
const KeysMatter = <Found extends KeyInNeed>({
  title,
  found: { count, keys },
  all,
  children,
}: KeysMatterProps<Found>) => {
  const text = useText();
  const more = all === undefined ? null : <Link to={filtered('/api_keys', all[1])}>{text(all[0])}</Link>;
  return (
    <Matter title={text(title)} count={countText(count)} more={more}>
      {keys.slice(0, listed).map((apiKey) => (
        <Fragment key={apiKey.id}>{children(apiKey)}</Fragment>
      ))}
    </Matter>
  );
};

/** Keys that expire within a month. */
export const ExpiringKeys = ({ found }: { readonly found: KeysInNeed }) => {
  const soon = { 'expires_at@gte': daysFromNow(0), 'expires_at@lte': daysFromNow(30) };
  return (
    <KeysMatter title="start.expiringKeys" found={found} all={['start.showExpiringKeys', soon]}>
      {(apiKey) => <Key apiKey={apiKey} ending />}
    </KeysMatter>
  );
};

/** Keys that are valid and unused. */
export const UnusedKeys = ({ found }: { readonly found: KeysInNeed }) => (
  <KeysMatter
    title="start.unusedKeys"
    found={found}
    all={['start.showUnusedKeys', { 'neglected@eq': 'true' }]}
  >
    {(apiKey) => <Key apiKey={apiKey} ending={false} />}
  </KeysMatter>
);

interface MendedKeyProps {
  readonly apiKey: KeyInNeed;
  readonly about: ReactNode;
  readonly action: TextKey;
  readonly dialog: (close: () => void) => ReactNode;
}

/** A key with the recommended action. */
const KeyWithAction = ({ apiKey, about, action, dialog }: MendedKeyProps) => {
  const text = useText();
  const [opened, setOpened] = useState(false);
  return (
    <Line>
      <Link to={`/api_keys/${apiKey.id}`}>{apiKey.name}</Link> · {about}
      <Stack direction="row">
        <Button size="small" aria-label={`${text(action)}: ${apiKey.name}`} onClick={() => setOpened(true)}>
          {text(action)}
        </Button>
      </Stack>
      <Suspense fallback={null}>{opened ? dialog(() => setOpened(false)) : null}</Suspense>
    </Line>
  );
};

/** Keys without an expiry, with an action that sets one. */
export const KeysWithoutExpiry = ({ found }: { readonly found: KeysInNeed }) => (
  <KeysMatter
    title="start.keysWithoutExpiry"
    found={found}
    all={['start.showKeysWithoutExpiry', { 'expires_at@null': 'true' }]}
  >
    {(apiKey) => (
      <KeyWithAction
        apiKey={apiKey}
        about={<Link to={`/users/${apiKey.user.id}/show`}>{apiKey.user.username}</Link>}
        action="keys.setExpiry"
        dialog={(close) => <ExtendKey apiKey={apiKey} onClose={close} />}
      />
    )}
  </KeysMatter>
);

/** Keys with more scopes than they used. */
export const OverPrivilegedKeys = ({ found }: { readonly found: KeyAdvice['wide_keys'] }) => {
  const text = useText();
  return (
    <KeysMatter title="start.overPrivilegedKeys" found={found}>
      {(apiKey) => (
        <KeyWithAction
          apiKey={apiKey}
          about={text(isReading(apiKey.narrower_scopes) ? 'keys.couldBeReadOnly' : 'keys.couldBeNarrowed')}
          action="keys.narrow"
          dialog={(close) => <NarrowKey apiKey={apiKey} narrower={apiKey.narrower_scopes} onClose={close} />}
        />
      )}
    </KeysMatter>
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
  /** True if the end is near: the key can then be extended or replaced. */
  readonly ending: boolean;
}

/** The actions on a key in a line of the overview. */
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
          <LinkButton size="small" to={`/api_keys/${apiKey.id}/rotate`} label={of(text('keys.rotate'))}>
            {text('keys.rotate')}
          </LinkButton>
        </>
      ) : null}
      <Button size="small" aria-label={of(text('common.revoke'))} onClick={() => setOpened('revoke')}>
        {text('common.revoke')}
      </Button>
      <Suspense fallback={null}>
        {opened === 'extend' ? <ExtendKey apiKey={apiKey} onClose={close} /> : null}
        {opened === 'revoke' ? <RevokeKey apiKey={apiKey} onClose={close} /> : null}
      </Suspense>
    </Stack>
  );
};
