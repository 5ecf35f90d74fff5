import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { replacing } from '../keys/replacing.ts';
import { LinkButton } from '../parts/link.tsx';
import { useText } from '../texts/provider.ts';

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
    readonly user: { readonly id: number; readonly username: string };
  };
  /** Whether its end is near: then it is extended or replaced. */
  readonly ending: boolean;
}

/** The actions on a key, where it is named. */
export const KeyActions = ({ apiKey, ending }: KeyActionsProps) => {
  const text = useText();
  const client = useQueryClient();
  const [opened, setOpened] = useState<'extend' | 'revoke'>();
  const close = (): void => setOpened(undefined);
  const changed = (): void => void client.invalidateQueries();
  const of = (action: string): string =>
    `${action}: ${text('common.named', { name: apiKey.name, more: apiKey.user.username })}`;
  return (
    <Stack direction="row" sx={{ ml: -0.625, flexWrap: 'wrap', '& .MuiButton-root': { minWidth: 0 } }}>
      {ending ? (
        <>
          <Button size="small" aria-label={of(text('keys.extend'))} onClick={() => setOpened('extend')}>
            {text('keys.extend')}
          </Button>
          <LinkButton size="small" to={replacing(apiKey)} label={of(text('keys.replace'))}>
            {text('keys.replace')}
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
        {opened === 'extend' ? <ExtendKey apiKey={apiKey} onClose={close} onDone={changed} /> : null}
        {opened === 'revoke' ? <RevokeKey apiKey={apiKey} onClose={close} onDone={changed} /> : null}
      </Suspense>
    </Stack>
  );
};
