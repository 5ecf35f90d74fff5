/** The restrictions of an API key in words. */

import Box from '@mui/material/Box';
import { Time } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';
import type { ApiKey } from './api-key.ts';
import { useLimitWords } from './limit-fields.tsx';
import { useScopeWords } from './scopes.ts';

/** The restrictions of a key; null means that there is no such restriction. */
export type KeyAccess = Pick<ApiKey, 'scopes' | 'networks' | 'limit' | 'quota'>;

/** The restrictions in a few words, for a row of a list: everything, or the first scopes. */
export const AccessInShort = ({
  access: { scopes, networks },
}: {
  readonly access: Pick<KeyAccess, 'scopes' | 'networks'>;
}) => {
  const text = useText();
  const words = useScopeWords()(scopes);
  const [first = ''] = scopes === null ? [text('keys.access.all')] : words;
  const what = words.length < 2 ? first : `${first} +${words.length - 1}`;
  const from =
    networks === null ? undefined : text('keys.access.networkCount', { smart_count: networks.length });
  const title = [words.join(text('keys.access.separator')), ...(networks ?? [])].join('\n');
  if (scopes === null && from === undefined)
    return (
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {what}
      </Box>
    );
  return (
    <span title={title}>
      {what}
      {from === undefined ? null : (
        <Box component="span" sx={{ color: 'text.secondary' }}>
          {text('keys.access.separator')}
          {from}
        </Box>
      )}
    </span>
  );
};

interface AccessSummaryProps {
  readonly access: KeyAccess;
  /** Null if the key never ends; undefined if the summary leaves it out. */
  readonly end?: string | null | undefined;
}

/** The access of a key in one sentence: scopes, networks and end. */
export const AccessSummary = ({ access, end }: AccessSummaryProps) => {
  const { scopes, networks } = access;
  const text = useText();
  const limits = useLimitWords()(access);
  const words = useScopeWords()(scopes);
  const separator = text('keys.access.separator');
  return (
    <Box component="p" aria-live="polite" sx={{ m: 0, overflowWrap: 'anywhere' }}>
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {text('keys.access.mayLabel')}
      </Box>
      {words.length === 0 ? '—' : words.join(separator)}
      <br />
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {text('keys.access.fromLabel')}
      </Box>
      {networks === null ? text('keys.access.everywhere') : networks.join(separator)}
      {limits.length === 0 ? null : (
        <>
          <br />
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {text('keys.access.atMostLabel')}
          </Box>
          {limits.join(separator)}
        </>
      )}
      {end === undefined ? null : (
        <>
          <br />
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {text('keys.access.untilLabel')}
          </Box>
          <Time value={end} format="zoned" otherwise={text('keys.neverExpires')} />
        </>
      )}
    </Box>
  );
};
