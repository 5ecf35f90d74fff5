import { useLanguage, useText } from '../texts/provider.ts';

/** Name of the time zone in which this browser shows times: `Asia/Shanghai`. */
export const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const formats = {
  full: { dateStyle: 'medium', timeStyle: 'medium' },
  short: { dateStyle: 'medium', timeStyle: 'short' },
  day: { dateStyle: 'medium' },
} as const;

interface TimeProps {
  /** ISO 8601; null shows the `otherwise` text. */
  readonly value: string | null | undefined;
  readonly format?: keyof typeof formats;
  readonly otherwise?: string;
}

/** A moment in the browser's own time zone; the exact one and the zone are in its title. */
export const Time = ({ value, format = 'short', otherwise = '—' }: TimeProps) => {
  const language = useLanguage();
  if (value === null || value === undefined || value === '') return <span>{otherwise}</span>;
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return <span>{value}</span>;
  const shown = new Intl.DateTimeFormat(language, formats[format]).format(at);
  return (
    <time dateTime={value} title={`${value} · ${timeZone}`} style={{ whiteSpace: 'nowrap' }}>
      {shown}
    </time>
  );
};

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** How long ago or ahead, in the largest unit that is at least one. */
export const RelativeTime = ({ value, otherwise }: Omit<TimeProps, 'format'>) => {
  const language = useLanguage();
  const text = useText();
  if (value === null || value === undefined) return <span>{otherwise ?? text('common.never')}</span>;
  const distance = Date.parse(value) - Date.now();
  const [unit, length] = units.find(([, each]) => Math.abs(distance) >= each) ?? ['minute', 60_000];
  const shown = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(
    Math.round(distance / length),
    unit,
  );
  return (
    <time dateTime={value} title={`${value} · ${timeZone}`} style={{ whiteSpace: 'nowrap' }}>
      {shown}
    </time>
  );
};
