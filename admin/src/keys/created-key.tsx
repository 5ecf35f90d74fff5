/** The page of a new API key: the key, requests to try, and its first use. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import Paper from '@mui/material/Paper';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { basePath } from '../base.ts';
import { Page } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { Step, Steps } from '../parts/steps.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useUnsaved } from '../parts/unsaved.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { AccessSummary, type KeyAccess } from './access-words.tsx';
import type { ApiKey } from './api-key.ts';
import { actionIn, expandScopes } from './scopes.ts';

export interface NewApiKey {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  readonly expires_at: string | null;
}

export interface CreatedApiKey extends NewApiKey {
  /** Username of the owner. */
  readonly owner: string;
  readonly access: KeyAccess;
}

interface CreatedKeyProps {
  readonly created: CreatedApiKey;
  /** Title, if the key is not a first one. */
  readonly title?: string;
  /** A sentence next to the key. */
  readonly children?: ReactNode;
  readonly onDone: () => void;
}

/**
 * The whole key, shown once, with requests ready to run. The page can be left once the user confirms having stored the
 * key.
 */
export const CreatedKey = ({ created, title, children, onDone }: CreatedKeyProps) => {
  const text = useText();
  const { name, key, owner, access, expires_at } = created;
  const [kept, setKept] = useState(false);
  const { saved } = useUnsaved(!kept);
  return (
    <Page
      title={title ?? text('keys.createdTitle', { name })}
      lead={
        <>
          {text('keys.createdFor', { owner })}
          <AccessSummary access={access} end={expires_at} />
        </>
      }
    >
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        <Paper
          variant="outlined"
          sx={{ p: 2, display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}
        >
          <Secret label={text('keys.key')} value={key} />
          <Typography variant="body2" sx={{ color: 'secondary.main' }}>
            {text('keys.createdLead')}
          </Typography>
          {children === undefined ? null : <Typography variant="body2">{children}</Typography>}
          <Calls apiKey={key} address={firstCall(access.scopes)} />
        </Paper>
        <Paper variant="outlined" sx={{ p: 1 }}>
          <FirstRequest id={created.id} />
        </Paper>
        <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 2 }}>
          <FormControlLabel
            control={<Checkbox checked={kept} onChange={(event) => setKept(event.target.checked)} />}
            label={text('keys.confirmStored')}
            // Aligns the box with the cards.
            sx={{ m: 0, ml: -1 }}
          />
          <Button
            variant="contained"
            disabled={!kept}
            onClick={() => {
              saved();
              onDone();
            }}
          >
            {text('keys.done')}
          </Button>
        </Box>
      </Box>
    </Page>
  );
};

/**
 * Path of a first request that these scopes allow: the first readable list, else the caller itself, which every key may
 * read.
 */
const firstCall = (scopes: readonly string[] | null): string => {
  const [path] =
    scopes === null
      ? ['users']
      : expandScopes(scopes).flatMap((scope) => {
          const named = actionIn(scope);
          return named?.action === 'read' ? [named.path] : [];
        });
  const below = path === undefined ? 'api_keys/current' : path === 'users' ? path : `${path}?per_page=5`;
  return `${window.location.origin}${basePath}/api/v1/${below}`;
};

/** The same request in several languages. */
const samples = {
  curl: (key: string, address: string) => `curl -H 'X-Api-Key: ${key}' '${address}'`,
  JavaScript: (key: string, address: string) =>
    `const response = await fetch('${address}', { headers: { 'X-Api-Key': '${key}' } });\nconsole.log(await response.json());`,
  Python: (key: string, address: string) =>
    `import urllib.request\n\nrequest = urllib.request.Request('${address}', headers={'X-Api-Key': '${key}'})\nprint(urllib.request.urlopen(request).read().decode())`,
} as const;

type SampleName = keyof typeof samples;

const sampleNames = Object.keys(samples) as readonly SampleName[];

/** A first request: to copy, or to send from here. */
const Calls = ({ apiKey, address }: { readonly apiKey: string; readonly address: string }) => {
  const text = useText();
  const [shown, setShown] = useState<SampleName>('curl');
  return (
    <Box sx={{ display: 'grid', gap: 1, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
        <ToggleButtonGroup
          exclusive
          size="small"
          aria-label={text('keys.curl')}
          value={shown}
          onChange={(_event, next: SampleName | null) => {
            if (next !== null) setShown(next);
          }}
        >
          {sampleNames.map((name) => (
            <ToggleButton key={name} value={name}>
              {name}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        <Trial apiKey={apiKey} address={address} />
      </Box>
      <Secret label={text('keys.curl')} value={samples[shown](apiKey, address)} />
    </Box>
  );
};

/** Sends the request with the key only, as a program would: without the session. */
const Trial = ({ apiKey, address }: { readonly apiKey: string; readonly address: string }) => {
  const text = useText();
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<string>();
  const run = async (): Promise<void> => {
    setBusy(true);
    const begun = performance.now();
    try {
      const { status } = await fetch(address, { credentials: 'omit', headers: { 'X-Api-Key': apiKey } });
      setOutcome(text('keys.tried', { status, ms: Math.round(performance.now() - begun) }));
    } catch {
      setOutcome(text('problem.unreachable'));
    }
    setBusy(false);
  };
  return (
    <>
      <Button size="small" variant="outlined" loading={busy} onClick={() => void run()}>
        {text('keys.try')}
      </Button>
      <Typography role="status" variant="body2" sx={{ color: 'text.secondary' }}>
        {outcome}
      </Typography>
    </>
  );
};

/** Milliseconds between two checks for the first request of a key. */
const pause = 3_000;

/** The last use of the current secret: an older secret of a rotated key may have been used since. */
const usedAt = (apiKey: ApiKey | undefined): string | null => apiKey?.secrets[0]?.last_used_at ?? null;

/** Waits for the first request with the key. */
const FirstRequest = ({ id }: { readonly id: number }) => {
  const text = useText();
  const { data } = useQuery({
    queryKey: ['first request', id],
    queryFn: async () => (await send<ApiKey>('GET', `/admin/api_keys/${id}`)).data,
    refetchInterval: ({ state }) => (usedAt(state.data) === null ? pause : false),
  });
  const used = usedAt(data);
  return (
    <div role="status">
      <Steps>
        <Step tone="good" title={text('keys.firstUse.created')} />
        {used === null ? (
          <Step tone="off" title={text('keys.firstUse.waiting')} />
        ) : (
          <Step tone="good" title={text('keys.firstUse.arrived')}>
            <RelativeTime value={used} />
          </Step>
        )}
      </Steps>
    </div>
  );
};
