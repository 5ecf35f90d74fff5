/** The matters of API keys on the overview. */

import { lazy, type ReactNode, Suspense, useState } from 'react';
import { isReading } from '../keys/scopes.ts';
import { Link, LinkButton } from '../parts/link.tsx';
import type { MoreItem } from '../parts/more-menu.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';
import type { TextKey } from '../texts/texts.ts';
import { Action, Advice, daysFromNow, filtered, Line, listed, type Matter } from './matter.tsx';
import { countText, type KeyAdvice, type KeyInNeed, type KeysInNeed, type Statistics } from './stats.ts';

type Opened = 'extend' | 'revoke' | 'narrow';

interface KeyLineProps {
  readonly apiKey: KeyInNeed;
  readonly about: ReactNode;
  /** The action, given the function that opens a dialog. */
  readonly action: (open: (dialog: Opened) => void, of: string) => ReactNode;
  readonly more?: (open: (dialog: Opened) => void) => readonly MoreItem[];
  /** Scopes for the dialog that narrows the key. */
  readonly narrower?: readonly string[];
}

/** A key, its owner, and dialogs for its actions. */
const KeyLine = ({ apiKey, about, action, more, narrower = [] }: KeyLineProps) => {
  const text = useText();
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  const of = text('common.named', { name: apiKey.name, more: apiKey.user.username });
  return (
    <>
      <Line
        of={of}
        subject={<Link to={`/api_keys/${apiKey.id}`}>{apiKey.name}</Link>}
        about={
          <>
            <Link to={`/users/${apiKey.user.id}/show`}>{apiKey.user.username}</Link> · {about}
          </>
        }
        action={action(setOpened, of)}
        more={more?.(setOpened) ?? []}
      />
      <Suspense fallback={null}>
        {opened === 'extend' ? <ExtendKey apiKey={apiKey} onClose={close} /> : null}
        {opened === 'revoke' ? <RevokeKey apiKey={apiKey} onClose={close} /> : null}
        {opened === 'narrow' ? <NarrowKey apiKey={apiKey} narrower={narrower} onClose={close} /> : null}
      </Suspense>
    </>
  );
};

/** Keys that expire within a month: they break what uses them. */
export const expiringKeyMatters = ({
  expiring_keys: { count, keys },
}: Statistics['attention']): readonly Matter[] =>
  keys.slice(0, listed).map((apiKey) => ({
    key: `key ${apiKey.id}`,
    urgency: 'soon',
    line: <ExpiringKey apiKey={apiKey} all={count} />,
  }));

const ExpiringKey = ({ apiKey, all }: { readonly apiKey: KeyInNeed; readonly all: number }) => {
  const text = useText();
  const soon = { 'expires_at@gte': daysFromNow(0), 'expires_at@lte': daysFromNow(30) };
  return (
    <KeyLine
      apiKey={apiKey}
      about={
        <>
          {text('start.expires.before')}
          <RelativeTime value={apiKey.expires_at} />
          {text('start.expires.after')}
        </>
      }
      action={(_open, of) => (
        <LinkButton size="small" to={`/api_keys/${apiKey.id}/rotate`} label={`${text('keys.rotate')}: ${of}`}>
          {text('keys.rotate')}
        </LinkButton>
      )}
      more={(open) => [
        { label: text('keys.extend'), onClick: () => open('extend') },
        { label: `${text('start.showExpiringKeys')} (${countText(all)})`, to: filtered('/api_keys', soon) },
        { label: text('common.revoke'), dangerous: true, onClick: () => open('revoke') },
      ]}
    />
  );
};

interface KeysAdviceProps<Found extends KeyInNeed> {
  readonly title: TextKey;
  readonly found: { readonly count: number; readonly keys: readonly Found[] };
  /** Text of the link to all of them, and the filter of their list. */
  readonly all?: readonly [TextKey, Readonly<Record<string, string>>];
  readonly children: (apiKey: Found) => ReactNode;
}

/** Keys with the same need, with a line for each of the first ones. */
const KeysAdvice = <Found extends KeyInNeed>({
  title,
  found: { count, keys },
  all,
  children,
}: KeysAdviceProps<Found>) => {
  const text = useText();
  const more = all === undefined ? null : <Link to={filtered('/api_keys', all[1])}>{text(all[0])}</Link>;
  return (
    <Advice title={text(title)} count={countText(count)} more={more}>
      {keys.slice(0, listed).map((apiKey) => (
        <li key={apiKey.id}>{children(apiKey)}</li>
      ))}
    </Advice>
  );
};

const Created = ({ apiKey }: { readonly apiKey: KeyInNeed }) => {
  const text = useText();
  return (
    <>
      {text('start.created.before')}
      <RelativeTime value={apiKey.created_at} />
      {text('start.created.after')}
    </>
  );
};

/** Keys that are valid and unused. */
export const UnusedKeys = ({ found }: { readonly found: KeysInNeed }) => {
  const text = useText();
  return (
    <KeysAdvice
      title="start.unusedKeys"
      found={found}
      all={['start.showUnusedKeys', { 'neglected@eq': 'true' }]}
    >
      {(apiKey) => (
        <KeyLine
          apiKey={apiKey}
          about={<Created apiKey={apiKey} />}
          action={(open, of) => (
            <Action label={text('common.revoke')} of={of} onClick={() => open('revoke')} />
          )}
        />
      )}
    </KeysAdvice>
  );
};

/** Keys without an expiry, with an action that sets one. */
export const KeysWithoutExpiry = ({ found }: { readonly found: KeysInNeed }) => {
  const text = useText();
  return (
    <KeysAdvice
      title="start.keysWithoutExpiry"
      found={found}
      all={['start.showKeysWithoutExpiry', { 'expires_at@null': 'true' }]}
    >
      {(apiKey) => (
        <KeyLine
          apiKey={apiKey}
          about={<Created apiKey={apiKey} />}
          action={(open) => (
            <Action label={text('keys.setExpiry')} of={apiKey.name} onClick={() => open('extend')} />
          )}
        />
      )}
    </KeysAdvice>
  );
};

/** Keys with more scopes than they used. */
export const OverPrivilegedKeys = ({ found }: { readonly found: KeyAdvice['wide_keys'] }) => {
  const text = useText();
  return (
    <KeysAdvice title="start.overPrivilegedKeys" found={found}>
      {(apiKey) => (
        <KeyLine
          apiKey={apiKey}
          about={text(isReading(apiKey.narrower_scopes) ? 'keys.couldBeReadOnly' : 'keys.couldBeNarrowed')}
          narrower={apiKey.narrower_scopes}
          action={(open) => (
            <Action label={text('keys.narrow')} of={apiKey.name} onClick={() => open('narrow')} />
          )}
        />
      )}
    </KeysAdvice>
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
