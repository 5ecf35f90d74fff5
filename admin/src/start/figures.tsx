/** The figures about requests on the overview. */

import Box from '@mui/material/Box';
import { Link } from '../parts/link.tsx';
import { useLanguage, useText } from '../texts/provider.ts';
import type { Point, Statistics } from './stats.ts';

interface FigureProps {
  readonly label: string;
  readonly value: string;
  /** Unit of the value, in small letters after it. */
  readonly unit?: string | undefined;
  /** Link to the details of the figure. */
  readonly to?: string;
  readonly bad?: boolean;
}

const Figure = ({ label, value, unit, to, bad = false }: FigureProps) => (
  <Box sx={{ minWidth: 0 }}>
    <Box component="dt" sx={{ typography: 'caption', color: 'text.secondary' }}>
      {to === undefined ? label : <Link to={to}>{label}</Link>}
    </Box>
    <Box
      component="dd"
      sx={{
        m: 0,
        typography: 'h4',
        fontVariantNumeric: 'tabular-nums',
        color: bad ? 'error.main' : 'text.primary',
      }}
    >
      {value}
      {unit === undefined ? null : (
        <Box component="span" sx={{ typography: 'body2', color: 'text.secondary' }}>
          {' '}
          {unit}
        </Box>
      )}
    </Box>
  </Box>
);

/** Address of the routes, sorted by a column. */
export const routesBy = (column: string): string => `/routes?sort=${column}&order=DESC`;

/** Share of errors from which on the figure is red. */
const manyErrors = 0.01;

interface FiguresProps {
  readonly points: readonly Point[];
  readonly times: Statistics['response_times'];
}

/** The number of requests in the time span, the shares of errors and refusals, and the response times. */
export const Figures = ({ points, times: { p95 } }: FiguresProps) => {
  const text = useText();
  const language = useLanguage();
  const countOf = (name: string): number => points.reduce((sum, { status }) => sum + (status[name] ?? 0), 0);
  const all = points.reduce(
    (sum, { status }) => sum + Object.values(status).reduce((some, count) => some + count, 0),
    0,
  );
  const short = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const share = (name: string): number => (all === 0 ? 0 : countOf(name) / all);
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        p: 2,
        display: 'flex',
        flexWrap: 'wrap',
        columnGap: 3,
        rowGap: 1,
        borderBottom: 1,
        borderColor: 'divider',
      }}
    >
      <Figure label={text('start.requests')} value={short.format(all)} to={routesBy('requests')} />
      <Figure
        label={text('start.errors')}
        value={percent.format(share('5xx'))}
        to={routesBy('failed')}
        bad={share('5xx') > manyErrors}
      />
      <Figure label={text('start.refused')} value={percent.format(share('4xx'))} to={routesBy('refused')} />
      <Figure
        label={text('start.p95')}
        value={p95 === null ? '—' : `≤ ${new Intl.NumberFormat(language).format(p95)}`}
        unit={p95 === null ? undefined : text('routes.milliseconds')}
        to={routesBy('p95')}
      />
    </Box>
  );
};
