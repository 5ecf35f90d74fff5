/** The causes of rejected requests. */

import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { Link } from '../parts/link.tsx';
import { sentenceOfCode } from '../parts/problem.ts';
import { RelativeTime } from '../parts/time.tsx';
import { send } from '../service.ts';
import { type Language, type Text, useLanguage, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { questionOf, type RefusalCause } from './refusal.ts';

/**
 * Rejected requests of the last 24 hours by caller, endpoint and code, the most frequent first. The overview and the
 * list share it.
 */
export const useRefusalCauses = () =>
  useQuery({
    queryKey: ['refusal causes'],
    refetchInterval: 60_000,
    queryFn: async () => (await send<readonly RefusalCause[]>('GET', '/admin/refusals/causes')).data,
  });

export const keyOfCause = ({
  caller_kind,
  caller_id,
  method,
  route,
  code,
}: Omit<RefusalCause, 'requests'>): string => [caller_kind, caller_id, method, route, code].join(' ');

export const codeText = (code: number, text: Text, language: Language): string =>
  `${code} ${code === 40400 ? text('refusals.hidden') : sentenceOfCode(code, language)}`;

const callerText = ({ caller_kind, caller_id, caller_name }: RefusalCause, text: Text): string =>
  caller_kind === 'api_key'
    ? text('refusals.key', { name: `#${caller_id}`, owner: caller_name })
    : caller_name;

/** A cause, which opens to its most frequent requests with their explanations. */
const Cause = ({ cause }: { readonly cause: RefusalCause }) => {
  const text = useText();
  const language = useLanguage();
  return (
    <Box component="details" sx={{ px: 2, py: 1, '& + &': { borderTop: 1, borderColor: 'divider' } }}>
      <Box component="summary" sx={{ cursor: 'pointer', overflowWrap: 'anywhere', typography: 'body2' }}>
        <Box component="span" sx={{ fontFamily: monospace, fontSize: 13 }}>
          {cause.method} {cause.route}
        </Box>
        {' · '}
        {callerText(cause, text)}
        {' · '}
        <Box component="span" sx={{ color: 'text.secondary' }}>
          {codeText(cause.code, text, language)}
        </Box>
        {' · '}
        <Box component="span" sx={{ fontVariantNumeric: 'tabular-nums', fontWeight: 500 }}>
          {text('start.times', { count: cause.refusals })}
        </Box>
      </Box>
      <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 2, listStyle: 'none', display: 'grid', gap: 0.5 }}>
        {cause.requests.map((request) => (
          <Typography key={`${request.path} ${request.address}`} component="li" variant="body2">
            <Link to={questionOf({ ...cause, ...request })} label={`${text('explain.ask')} ${request.path}`}>
              <span style={{ fontFamily: monospace, fontSize: 13 }}>{request.path}</span>
            </Link>{' '}
            <Box component="span" sx={{ color: 'text.secondary' }}>
              · {text('start.times', { count: request.refusals })} ·{' '}
              <RelativeTime value={request.refused_at} />
            </Box>
          </Typography>
        ))}
      </Box>
    </Box>
  );
};

/** The causes of rejected requests; renders nothing if there are none. */
export const RefusalCauses = () => {
  const text = useText();
  const { data = [] } = useRefusalCauses();
  if (data.length === 0) return null;
  return (
    <section aria-labelledby="refusal-causes">
      <Typography id="refusal-causes" variant="h2" sx={{ mb: 1 }}>
        {text('refusals.causes')}
      </Typography>
      <Paper variant="outlined">
        {data.map((cause) => (
          <Cause key={keyOfCause(cause)} cause={cause} />
        ))}
      </Paper>
    </section>
  );
};
