/** A chart of stacked bars over time, with its legend. */

import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { type MouseEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { useLanguage, useText } from '../texts/provider.ts';
import { ceilingOf } from './ceiling.ts';

export interface Series {
  readonly name: string;
  readonly colour: string;
  readonly values: readonly number[];
}

interface StackedBarsProps {
  readonly title: string;
  /** A label for each bar. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
}

/**
 * Height of the drawing in CSS pixels; its width is the available one, so that its letters have the size of the page's.
 */
const height = 180;
const left = 44;
const bottom = 22;
const top = 8;
/** Pixels for the label of a bar. */
const labelWidth = 52;

interface Bar {
  readonly series: Series;
  readonly from: number;
  readonly value: number;
}

const stack = (series: readonly Series[], index: number): Bar[] => {
  let from = 0;
  return series.flatMap((each) => {
    const value = each.values[index] ?? 0;
    if (value === 0) return [];
    const bar = { series: each, from, value };
    from += value;
    return [bar];
  });
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Index of the bar under the mouse; undefined beside the bars. */
const barAt = (event: MouseEvent<SVGSVGElement>, bars: number): number | undefined => {
  const box = event.currentTarget.getBoundingClientRect();
  const index = Math.floor(((event.clientX - box.left - left) / (box.width - left)) * bars);
  return index >= 0 && index < bars ? index : undefined;
};

/** Stacked bars over time. The legend has the same figures for everyone who cannot see the picture. */
export const StackedBars = ({ title, labels, series }: StackedBarsProps) => {
  const text = useText();
  const language = useLanguage();
  const id = useId();
  const [pointed, setPointed] = useState<number>();
  const number = new Intl.NumberFormat(language);
  const totals = labels.map((_label, index) => sum(series.map(({ values }) => values[index] ?? 0)));
  return (
    <Box>
      <Stack direction="row" sx={{ justifyContent: 'space-between', gap: 1, mb: 1 }}>
        <Typography id={id} variant="h3">
          {title}
        </Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
          {pointed === undefined
            ? text('start.total', { count: number.format(sum(totals)) })
            : `${labels[pointed]} · ${number.format(totals[pointed] ?? 0)}`}
        </Typography>
      </Stack>
      <Plot
        labels={labels}
        series={series}
        totals={totals}
        pointed={pointed}
        labelledBy={id}
        onPoint={setPointed}
      />
      <Stack
        component="ul"
        direction="row"
        sx={{ m: 0, mt: 1, p: 0, listStyle: 'none', columnGap: 1.5, rowGap: 0.25, flexWrap: 'wrap' }}
      >
        {series.map(({ name, colour, values }) => (
          <Stack component="li" key={name} direction="row" sx={{ gap: 0.75, alignItems: 'center' }}>
            <Box aria-hidden sx={{ width: 10, height: 10, borderRadius: 0.5, bgcolor: colour }} />
            <Typography variant="body2">
              {name}{' '}
              <Box component="span" sx={{ color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
                {number.format(pointed === undefined ? sum(values) : (values[pointed] ?? 0))}
              </Box>
            </Typography>
          </Stack>
        ))}
      </Stack>
    </Box>
  );
};

interface PlotProps extends Omit<StackedBarsProps, 'title'> {
  /** Total of each bar. */
  readonly totals: readonly number[];
  readonly pointed: number | undefined;
  readonly labelledBy: string;
  readonly onPoint: (index: number | undefined) => void;
}

const Plot = ({ labels, series, totals, pointed, labelledBy, onPoint }: PlotProps) => {
  const [element, width] = useWidth<SVGSVGElement>(480);
  const short = new Intl.NumberFormat(useLanguage(), { notation: 'compact' });
  const ceiling = ceilingOf(Math.max(0, ...totals));
  const step = (width - left) / labels.length;
  const y = (value: number): number => top + (height - top - bottom) * (1 - value / ceiling);
  const bars = labels.map((label, index) => ({ at: `${index} ${label}`, label, index }));
  const every = Math.max(1, Math.ceil(labelWidth / step));
  return (
    <Box
      ref={element}
      component="svg"
      height={height}
      role="img"
      aria-labelledby={labelledBy}
      onMouseMove={(event: MouseEvent<SVGSVGElement>) => onPoint(barAt(event, labels.length))}
      onMouseLeave={() => onPoint(undefined)}
      sx={{ width: '100%', display: 'block', color: 'text.secondary', overflow: 'visible' }}
    >
      {[0, ceiling / 2, ceiling].map((value) => (
        <g key={value}>
          <line x1={left} x2={width} y1={y(value)} y2={y(value)} stroke="currentColor" strokeOpacity={0.18} />
          <text x={left - 8} y={y(value) + 4} textAnchor="end" fontSize={12} fill="currentColor">
            {short.format(value)}
          </text>
        </g>
      ))}
      {bars.map(({ at, label, index }) => (
        <g key={at} opacity={pointed === undefined || pointed === index ? 1 : 0.45}>
          {stack(series, index).map((bar) => (
            <rect
              key={bar.series.name}
              x={left + index * step + step * 0.14}
              width={step * 0.72}
              y={y(bar.from + bar.value)}
              height={Math.max(0.5, y(bar.from) - y(bar.from + bar.value))}
              fill={bar.series.colour}
              rx={1}
            />
          ))}
          {index % every === 0 && (index + 0.5) * step + labelWidth / 2 <= width - left + 8 ? (
            <text
              x={left + (index + 0.5) * step}
              y={height - 5}
              textAnchor="middle"
              fontSize={12}
              fill="currentColor"
            >
              {label}
            </text>
          ) : null}
        </g>
      ))}
    </Box>
  );
};

/** The width of an element in CSS pixels, updated when it changes. */
export const useWidth = <Kind extends Element>(first: number): [RefObject<Kind | null>, number] => {
  const element = useRef<Kind>(null);
  const [width, setWidth] = useState(first);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined && entry.contentRect.width > 0) setWidth(entry.contentRect.width);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
};
