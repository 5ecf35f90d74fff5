/** The gates that a request with an API key passes, on the page of the key. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import { lazy, Suspense, useState } from 'react';
import { Gate, GateTrace } from '../parts/gate-trace.tsx';
import { Link } from '../parts/link.tsx';
import { Section } from '../parts/section.tsx';
import { useText } from '../texts/provider.ts';
import type { ApiKey, KeyUsage } from './api-key.ts';
import { useLimitWords } from './limit-fields.tsx';
import { actionIn, expandScopes, isReading, useScopeWords } from './scopes.ts';

const NarrowKey = lazy(() => import('./narrow-key.tsx').then(({ NarrowKey: part }) => ({ default: part })));

interface KeyGatesProps {
  readonly apiKey: ApiKey;
  readonly usage: KeyUsage | undefined;
}

/** The gates that a request with this key passes before the rules of its endpoint. */
export const KeyGates = ({ apiKey, usage }: KeyGatesProps) => {
  const text = useText();
  const [narrowing, setNarrowing] = useState(false);
  const words = useScopeWords();
  const limits = useLimitWords()(apiKey);
  const { networks, scopes, status, user } = apiKey;
  const narrower = usage?.narrower_scopes ?? null;
  return (
    <Section
      title={text('keys.access.gates')}
      actions={<Link to={`/explain?api_key_id=${apiKey.id}`}>{text('keys.access.explain')}</Link>}
    >
      <Paper variant="outlined" sx={{ p: 1 }}>
        <GateTrace label={text('keys.access.gates')}>
          <Gate
            outcome={status === 'active' ? 'passed' : 'stopped'}
            lit={status !== 'active'}
            title={text(status === 'active' ? 'keys.access.keyValid' : 'keys.access.keyExpired')}
          />
          <Gate outcome={networks === null ? 'off' : 'narrowed'} title={text('keys.access.networks')}>
            {networks === null
              ? text('keys.access.everywhere')
              : networks.join(text('keys.access.separator'))}
          </Gate>
          <Gate outcome={scopes === null ? 'off' : 'narrowed'} title={text('keys.access.scopes')}>
            {scopes === null ? (
              text('keys.access.everything')
            ) : (
              <ScopeList scopes={scopes} used={usage?.scopes ?? []} />
            )}
            {narrower === null ? null : (
              <Box sx={{ mt: 0.5, color: 'secondary.main' }}>
                {text(isReading(narrower) ? 'keys.couldBeReadOnly' : 'keys.couldBeNarrowed')}
                {' ('}
                {words(narrower).join(text('keys.access.separator'))}
                {') '}
                <Button size="small" variant="outlined" onClick={() => setNarrowing(true)}>
                  {text('keys.narrow')}
                </Button>
              </Box>
            )}
          </Gate>
          <Gate outcome={limits.length === 0 ? 'off' : 'narrowed'} title={text('keys.access.limits')}>
            {limits.length === 0 ? text('keys.access.noLimits') : limits.join(text('keys.access.separator'))}
          </Gate>
          <Gate outcome="passed" title={text('keys.access.owner')}>
            <Link to={`/users/${user.id}/show`}>{user.username}</Link>
          </Gate>
        </GateTrace>
      </Paper>
      <Suspense fallback={null}>
        {narrowing && narrower !== null ? (
          <NarrowKey apiKey={apiKey} narrower={narrower} onClose={() => setNarrowing(false)} />
        ) : null}
      </Suspense>
    </Section>
  );
};

interface ScopeListProps {
  readonly scopes: readonly string[];
  readonly used: KeyUsage['scopes'];
}

/** A line for each model or endpoint, with its number of uses in 30 days. */
const ScopeList = ({ scopes, used }: ScopeListProps) => {
  const text = useText();
  const words = useScopeWords();
  const groups = Map.groupBy(expandScopes(scopes), (scope) => actionIn(scope)?.path ?? scope);
  return (
    <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
      {[...groups].map(([name, own]) => {
        const requests = used
          .filter(({ scope }) => own.includes(scope))
          .reduce((sum, each) => sum + each.requests, 0);
        return (
          <li key={name}>
            <Box component="span" sx={{ color: 'text.primary' }}>
              {words(own).join(text('keys.access.separator'))}
            </Box>
            {' · '}
            {requests === 0 ? text('keys.access.unusedScope') : text('keys.access.used', { count: requests })}
          </li>
        );
      })}
    </Box>
  );
};
