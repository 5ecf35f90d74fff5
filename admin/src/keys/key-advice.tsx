/** Advice about API keys, below their list. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { send } from '../service.ts';
import { filtered } from '../start/matter.tsx';
import { type KeyAdvice as Advice, countText, type OverPrivilegedKey } from '../start/stats.ts';
import { useText } from '../texts/provider.ts';
import { isReading, useScopeWords } from './scopes.ts';

const NarrowKey = lazy(() => import('./narrow-key.tsx').then(({ NarrowKey: part }) => ({ default: part })));

/** Advice on all keys, below their list, which it does not move; renders nothing if there is none. */
export const KeyAdvice = () => {
  const text = useText();
  const { data } = useQuery({
    queryKey: ['key advice'],
    queryFn: async () => (await send<Advice>('GET', '/admin/api_keys/advice')).data,
  });
  if (data === undefined) return null;
  const { endless_keys: endless, neglected_keys: unused, wide_keys: wide } = data;
  if (endless.count + unused.count + wide.count === 0) return null;
  return (
    <Paper
      variant="outlined"
      component="section"
      aria-label={text('keys.advice')}
      sx={{ px: 2, py: 1, mt: 2, display: 'grid', gap: 0.5, typography: 'body2' }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 2, rowGap: 0.5 }}>
        <Icon name="attention" sx={{ fontSize: 16, color: 'warning.main' }} />
        {endless.count === 0 ? null : (
          <Link to={filtered('/api_keys', { 'expires_at@null': 'true' })}>
            {text('keys.adviceNoExpiry', { smart_count: endless.count })}
          </Link>
        )}
        {unused.count === 0 ? null : (
          <Link to={filtered('/api_keys', { 'neglected@eq': 'true' })}>
            {text('keys.adviceUnused', { count: countText(unused.count) })}
          </Link>
        )}
      </Box>
      {wide.keys.map((apiKey) => (
        <OverPrivileged key={apiKey.id} apiKey={apiKey} />
      ))}
    </Paper>
  );
};

/** A key with more scopes than it used, and the button that narrows it. */
const OverPrivileged = ({ apiKey }: { readonly apiKey: OverPrivilegedKey }) => {
  const text = useText();
  const words = useScopeWords();
  const [opened, setOpened] = useState(false);
  const narrower = apiKey.narrower_scopes;
  return (
    <Box sx={{ overflowWrap: 'anywhere' }}>
      <Link to={`/api_keys/${apiKey.id}`}>{apiKey.name}</Link>
      {' · '}
      {text(isReading(narrower) ? 'keys.couldBeReadOnly' : 'keys.couldBeNarrowed')}{' '}
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {words(narrower).join(text('keys.access.separator'))}
      </Box>{' '}
      <Button
        size="small"
        aria-label={`${text('keys.narrow')}: ${apiKey.name}`}
        onClick={() => setOpened(true)}
        sx={{ minHeight: 24, py: 0 }}
      >
        {text('keys.narrow')}
      </Button>
      <Suspense fallback={null}>
        {opened ? <NarrowKey apiKey={apiKey} narrower={narrower} onClose={() => setOpened(false)} /> : null}
      </Suspense>
    </Box>
  );
};
