/** Why requests were refused, and the slow routes, on the overview. */

import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { questionOf, type RefusalCause } from '../access/refusal.ts';
import { codeText, useRefusalCauses } from '../access/refusal-causes.tsx';
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
              <Box component="span" sx={{ color: 'text.secondary', flex: '1 1 160px', minWidth: 0 }}>
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

/** Calls from which on a route counts as slow: one slow call says nothing. */
const enoughCalls = 10;

/** The slowest routes of the last 24 hours, of those with some calls. */
export const Slowest = () => {
  const text = useText();
  const format = new Intl.NumberFormat(useLanguage());
  const { data = [] } = useQuery({
    queryKey: ['slowest routes'],
    refetchInterval: 60_000,
    queryFn: async () => {
      const asked = `filter[requests][gte]=${enoughCalls}&sort=-p95&per_page=${maxListedRequests}`;
      return (await send<readonly RouteTimes[]>('GET', `/admin/routes?${asked}`)).data;
    },
  });
  return (
    <Ranked
      id="slowest"
      title={text('start.slowest', { count: enoughCalls })}
      to={routesBy('p95')}
      lines={data.map(({ id, name, p95, requests }) => ({
        key: id,
        name,
        to: filtered('/routes', { 'name@eq': name }),
        note: text('start.times', { count: requests }),
        figure: text('routes.atMost', { milliseconds: format.format(p95) }),
      }))}
    />
  );
};

/** Refused requests of all callers by endpoint and code, the most frequent first. */
const causesOf = (causes: readonly RefusalCause[]) =>
  [...Map.groupBy(causes, ({ method, route, code }) => `${method} ${route} ${code}`)]
    .map(([key, alike]) => ({
      key,
      alike,
      refusals: alike.reduce((sum, { refusals }) => sum + refusals, 0),
      callers: new Map(alike.map((cause) => [`${cause.caller_kind} ${cause.caller_id}`, cause.caller_name])),
    }))
    .toSorted((one, other) => other.refusals - one.refusals);

/** The explanation of the most frequent request of a cause; the list of all where several callers are refused. */
const explanationOf = (alike: readonly RefusalCause[]): string => {
  const [cause, ...others] = alike;
  const request = cause?.requests[0];
  if (cause === undefined || request === undefined || others.length > 0) return '/explain?tab=refusals';
  const { requests: _, ...asked } = cause;
  return questionOf({ ...asked, path: request.path, address: request.address });
};

/** Why requests of the last 24 hours were refused: endpoint, reason and callers, with links to explanations. */
export const MostRefused = () => {
  const text = useText();
  const language = useLanguage();
  const { data = [] } = useRefusalCauses();
  return (
    <Ranked
      id="most-refused"
      title={text('start.mostRefused')}
      to="/explain?tab=refusals"
      lines={causesOf(data)
        .slice(0, maxListedRequests)
        .map(({ key, alike, refusals, callers }) => {
          const [{ method = '', route = '', code = 0 } = {}] = alike;
          const [caller = ''] = callers.values();
          const by = callers.size === 1 ? caller : text('start.callers', { smart_count: callers.size });
          return {
            key,
            name: `${method} ${route}`,
            to: explanationOf(alike),
            note: `${codeText(code, text, language)} · ${by}`,
            figure: text('start.times', { count: refusals }),
          };
        })}
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
