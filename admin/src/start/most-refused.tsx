/** The slowest routes and the most frequent refusals, on the overview. */

import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { questionOf } from '../access/refusal.ts';
import { codeText, keyOfCause, useRefusalCauses } from '../access/refusal-causes.tsx';
import { Link } from '../parts/link.tsx';
import { send } from '../service.ts';
import { useLanguage, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import type { RouteTimes } from '../watch/routes.tsx';
import { routesBy } from './figures.tsx';
import { filtered } from './matter.tsx';

/** Number of listed requests; the linked page has all of them. */
const maxListedRequests = 3;

interface RankedProps {
  readonly id: string;
  readonly title: string;
  /** Link to all of them. */
  readonly to: string;
  readonly lines: readonly {
    readonly key: number | string;
    readonly name: string;
    readonly to: string;
    readonly note?: ReactNode;
    readonly figure: string;
  }[];
}

/** The first entries of a ranking, each with its figure and a link; renders nothing if there are none. */
const Ranked = ({ id, title, to, lines }: RankedProps) =>
  lines.length === 0 ? null : (
    <Box
      component="section"
      aria-labelledby={id}
      sx={{ px: 2, py: 1.5, borderTop: 1, borderColor: 'divider' }}
    >
      <Typography id={id} variant="h3" sx={{ mb: 0.5 }}>
        <Link to={to}>{title}</Link>
      </Typography>
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {lines.map((line) => (
          <Box component="li" key={line.key} sx={lineStyle}>
            <Link to={line.to}>
              <span style={{ fontFamily: monospace, fontSize: 12 }}>{line.name}</span>
            </Link>
            {line.note === undefined ? null : (
              <Box component="span" sx={{ color: 'text.secondary' }}>
                {line.note}
              </Box>
            )}
            <Box component="span" sx={{ ml: 'auto', fontVariantNumeric: 'tabular-nums' }}>
              {line.figure}
            </Box>
          </Box>
        ))}
      </Box>
    </Box>
  );

/** The slowest routes of the last 24 hours. */
export const Slowest = () => {
  const text = useText();
  const { data = [] } = useQuery({
    queryKey: ['slowest routes'],
    refetchInterval: 60_000,
    queryFn: async () =>
      (await send<readonly RouteTimes[]>('GET', `/admin/routes?sort=-p95&per_page=${maxListedRequests}`))
        .data,
  });
  return (
    <Ranked
      id="slowest"
      title={text('start.slowest')}
      to={routesBy('p95')}
      lines={data.map(({ id, name, p95 }) => ({
        key: id,
        name,
        to: filtered('/routes', { 'name@eq': name }),
        figure: text('routes.atMost', { milliseconds: p95 }),
      }))}
    />
  );
};

/** The most frequent refusals of the last 24 hours, with links to their explanations. */
export const MostRefused = () => {
  const text = useText();
  const language = useLanguage();
  const { data = [] } = useRefusalCauses();
  return (
    <Ranked
      id="most-refused"
      title={text('start.mostRefused')}
      to="/explain?tab=refusals"
      lines={data.slice(0, maxListedRequests).map(({ requests: [mostFrequent], ...cause }) => ({
        key: keyOfCause(cause),
        name: `${cause.method} ${cause.route}`,
        to: mostFrequent === undefined ? '/explain?tab=refusals' : questionOf({ ...cause, ...mostFrequent }),
        note: `${cause.caller_name} · ${codeText(cause.code, text, language)}`,
        figure: text('start.times', { count: cause.refusals }),
      }))}
    />
  );
};

const lineStyle = {
  display: 'flex',
  flexWrap: 'wrap',
  columnGap: 1.5,
  py: 0.25,
  typography: 'body2',
  overflowWrap: 'anywhere',
} as const;
