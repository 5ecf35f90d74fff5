import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useThemeMode } from '../layout/theme-mode.tsx';
import { useLanguage, useText } from '../texts/provider.ts';
import { type Series, StackedBars } from './stacked-bars.tsx';
import type { Point, Statistics } from './stats.ts';

type Span = 'last_24_hours' | 'last_30_days';

/** From the service's registry, put here by the build (`vite.config.ts`). */
declare const __AUTH_METHODS__: readonly {
  readonly name: string;
  readonly label: Readonly<Record<string, string>>;
}[];

/** Distinct also without colour vision: by lightness, and named in the legend with their figures. */
const colours = {
  light: {
    methods: ['#23606a', '#d08a1d', '#8a6bb1', '#5c8f3e', '#a8556b', '#4f74b3'],
    none: '#9aa5a1',
    '2xx': '#3d8f6a',
    '3xx': '#6b93c4',
    '4xx': '#dd9a31',
    '5xx': '#b3261e',
  },
  dark: {
    methods: ['#84cdd0', '#eec06b', '#b9a0dc', '#9ccb7d', '#dd9aad', '#9bb4e0'],
    none: '#7b8784',
    '2xx': '#82d3a1',
    '3xx': '#93b6e0',
    '4xx': '#f1bd62',
    '5xx': '#ff8a80',
  },
} as const;

const statuses = ['2xx', '3xx', '4xx', '5xx'] as const;

/** Requests over the last day or month, by method of authentication and by status. */
export const Traffic = ({ statistics }: { readonly statistics: Statistics }) => {
  const text = useText();
  const language = useLanguage();
  const [mode] = useThemeMode();
  const [span, setSpan] = useState<Span>('last_24_hours');
  const points = statistics[span];
  const palette = colours[mode === 'dark' ? 'dark' : 'light'];
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
      colour: palette.methods[index % palette.methods.length] ?? palette.none,
      values: valuesOf('authentication', name),
    })),
    { name: text('start.unauthenticated'), colour: palette.none, values: valuesOf('authentication', 'none') },
  ];
  const byStatus: Series[] = statuses.map((name) => ({
    name,
    colour: palette[name],
    values: valuesOf('status', name),
  }));
  return (
    <Stack component="section" aria-labelledby="traffic" sx={{ gap: 1.5 }}>
      <Stack
        direction="row"
        sx={{ alignItems: 'center', justifyContent: 'space-between', flexWrap: 'wrap', gap: 1 }}
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
          <ToggleButton value="last_24_hours" sx={{ textTransform: 'none', px: 1.5 }}>
            {text('start.hours')}
          </ToggleButton>
          <ToggleButton value="last_30_days" sx={{ textTransform: 'none', px: 1.5 }}>
            {text('start.days')}
          </ToggleButton>
        </ToggleButtonGroup>
      </Stack>
      <Box
        sx={{
          display: 'grid',
          gap: 1.5,
          gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 420px), 1fr))',
        }}
      >
        <Paper variant="outlined" sx={{ p: 2 }}>
          <StackedBars title={text('start.byMethod')} labels={labels} series={byMethod} />
        </Paper>
        <Paper variant="outlined" sx={{ p: 2 }}>
          <StackedBars title={text('start.byStatus')} labels={labels} series={byStatus} />
        </Paper>
      </Box>
    </Stack>
  );
};
