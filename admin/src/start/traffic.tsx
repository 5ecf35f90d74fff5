/** The charts of requests on the overview. */

import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useLanguage, useText } from '../texts/provider.ts';
import { Figures } from './figures.tsx';
import { MostRefused, Slowest } from './most-refused.tsx';
import { type Series, StackedBars } from './stacked-bars.tsx';
import type { Point, Statistics } from './stats.ts';

type Span = 'last_24_hours' | 'last_30_days';

/** Methods of authentication in the registry of the service, inserted by the build (`vite.config.ts`). */
declare const __AUTH_METHODS__: readonly {
  readonly name: string;
  readonly label: Readonly<Record<string, string>>;
}[];

/** Distinguishable without colour vision by their lightness; the legend names them with their figures. */
const colours = {
  methods: [
    'light-dark(#1f5f66, #6fc3c3)',
    'light-dark(#c98a2b, #f0b45a)',
    'light-dark(#7a62b5, #b9a0dc)',
    'light-dark(#5c8f3e, #9ccb7d)',
    'light-dark(#a8556b, #dd9aad)',
    'light-dark(#4f74b3, #9bb4e0)',
  ],
  none: 'light-dark(#9aa5a1, #7b8784)',
  '2xx': 'light-dark(#7fae9b, #4f8a78)',
  '3xx': 'light-dark(#a9bccb, #6f8496)',
  '4xx': 'light-dark(#c98a2b, #f0b45a)',
  '5xx': 'light-dark(#b42318, #f58d84)',
} as const;

const statuses = ['2xx', '3xx', '4xx', '5xx'] as const;

/** Requests of the last day or month, by method of authentication and by status. */
export const Traffic = ({ statistics }: { readonly statistics: Statistics }) => {
  const text = useText();
  const language = useLanguage();
  const [span, setSpan] = useState<Span>('last_24_hours');
  const points = statistics[span];
  const format = new Intl.DateTimeFormat(
    language,
    span === 'last_24_hours'
      ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
      : { month: 'numeric', day: 'numeric', timeZone: 'UTC' },
  );
  const labels = points.map(({ at }) => format.format(new Date(at)));
  const valuesOf = (of: 'authentication' | 'status', name: string): number[] =>
    points.map((point: Point) => point[of][name] ?? 0);
  const byMethod: Series[] = [
    ...__AUTH_METHODS__.map(({ name, label }, index) => ({
      name: label[language] ?? name,
      colour: colours.methods[index % colours.methods.length] ?? colours.none,
      values: valuesOf('authentication', name),
    })),
    { name: text('start.unauthenticated'), colour: colours.none, values: valuesOf('authentication', 'none') },
  ];
  const byStatus: Series[] = statuses.map((name) => ({
    name,
    colour: colours[name],
    values: valuesOf('status', name),
  }));
  return (
    <Stack component="section" aria-labelledby="traffic" sx={{ gap: 1 }}>
      <Stack
        direction="row"
        sx={{
          alignItems: 'center',
          justifyContent: 'space-between',
          flexWrap: 'wrap',
          gap: 1,
          minHeight: 28,
        }}
      >
        <Typography id="traffic" variant="h2">
          {text('start.requests')}
        </Typography>
        <ToggleButtonGroup
          exclusive
          size="small"
          aria-label={text('start.span')}
          value={span}
          onChange={(_event, next: Span | null) => {
            if (next !== null) setSpan(next);
          }}
        >
          <ToggleButton value="last_24_hours">{text('start.hours')}</ToggleButton>
          <ToggleButton value="last_30_days">{text('start.days')}</ToggleButton>
        </ToggleButtonGroup>
      </Stack>
      <Paper variant="outlined">
        <Figures points={points} times={statistics.response_times} />
        <Box sx={{ p: 2 }}>
          <StackedBars title={text('start.byStatus')} labels={labels} series={byStatus} />
        </Box>
        <Box sx={{ px: 2, pb: 2 }} component="details">
          <Box component="summary" sx={{ typography: 'body2', color: 'text.secondary', cursor: 'pointer' }}>
            {text('start.byMethod')}
          </Box>
          <StackedBars title={text('start.byMethod')} labels={labels} series={byMethod} />
        </Box>
        <MostRefused />
        <Slowest />
      </Paper>
    </Stack>
  );
};
