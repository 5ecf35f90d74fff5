/** The state of the service on the overview: readiness, database, disk, backup and version. */

import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { Link } from '../parts/link.tsx';
import { sentenceOfCode } from '../parts/problem.ts';
import { Status, type StatusTone } from '../parts/status.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useLanguage, useText } from '../texts/provider.ts';
import { bytesText } from './bytes.ts';
import { Line, type Matter } from './matter.tsx';
import type { ServiceState as State } from './stats.ts';

/** Free share of the disk below which it is nearly full, and below which it fills soon. */
const nearlyFull = 0.05;
const fillsSoon = 0.15;

/** Days after which a backup is old. */
const oldBackupDays = 7;

const freeShare = ({ disk }: State): number => (disk === null ? 1 : disk.free_bytes / disk.bytes);

const isOld = (backedUpAt: string | null): backedUpAt is string =>
  backedUpAt !== null && Date.now() - Date.parse(backedUpAt) > oldBackupDays * 86_400_000;

/** A service that takes no writes, a disk that fills, and a backup that is old. */
export const serviceMatters = (state: State): readonly Matter[] => {
  const matters: Matter[] = [];
  if (state.problem !== null)
    matters.push({ key: 'not ready', urgency: 'now', line: <NotReady code={state.problem} /> });
  const free = freeShare(state);
  if (free < fillsSoon)
    matters.push({
      key: 'disk',
      urgency: free < nearlyFull ? 'now' : 'soon',
      line: <FullDisk state={state} />,
    });
  if (isOld(state.backed_up_at))
    matters.push({ key: 'backup', urgency: 'soon', line: <OldBackup at={state.backed_up_at} /> });
  return matters;
};

const NotReady = ({ code }: { readonly code: number }) => {
  const text = useText();
  const language = useLanguage();
  const subject = text('start.state.notReady');
  return <Line of={subject} subject={subject} about={`${code} ${sentenceOfCode(code, language)}`} />;
};

const FullDisk = ({ state: { disk } }: { readonly state: State }) => {
  const text = useText();
  const language = useLanguage();
  if (disk === null) return null;
  const subject = text('start.state.diskFills');
  const free = bytesText(disk.free_bytes, language);
  return (
    <Line
      of={subject}
      subject={subject}
      about={text('start.state.free', { free, all: bytesText(disk.bytes, language) })}
    />
  );
};

const OldBackup = ({ at }: { readonly at: string }) => {
  const text = useText();
  const subject = text('start.state.oldBackup');
  return <Line of={subject} subject={subject} about={<RelativeTime value={at} />} />;
};

const toneOf = (state: State): readonly [StatusTone, 'notReady' | 'diskFills' | 'healthy'] => {
  if (state.problem !== null) return ['bad', 'notReady'];
  return freeShare(state) < nearlyFull ? ['bad', 'diskFills'] : ['good', 'healthy'];
};

const factStyle = {
  display: 'flex',
  gap: 0.75,
  '& dt': { color: 'text.secondary' },
  '& dd': { m: 0 },
} as const;

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <Box sx={factStyle}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </Box>
);

/** The state of the service in one line; facts that are unknown are left out. */
export const ServiceState = ({ state }: { readonly state: State }) => {
  const text = useText();
  const language = useLanguage();
  const { database_bytes: bytes, disk, backed_up_at, application_version: version } = state;
  const [tone, word] = toneOf(state);
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
  return (
    <Box component="section" aria-label={text('start.state.label')} sx={stateStyle}>
      <Box sx={{ fontWeight: 600 }}>
        <Status tone={tone}>{text(`start.state.${word}`)}</Status>
      </Box>
      <Box component="dl" sx={factsStyle}>
        {bytes === null ? null : (
          <Fact name={text('start.state.database')}>{bytesText(bytes, language)}</Fact>
        )}
        {disk === null ? null : (
          <Fact name={text('start.state.disk')}>
            {text('start.state.used', {
              share: percent.format(1 - freeShare(state)),
              free: bytesText(disk.free_bytes, language),
            })}
          </Fact>
        )}
        {backed_up_at === null ? null : (
          <Fact name={text('start.state.backup')}>
            <RelativeTime value={backed_up_at} />
          </Fact>
        )}
        {version === null ? null : <Fact name={text('start.state.version')}>{version}</Fact>}
      </Box>
      <Box sx={{ ml: { sm: 'auto' } }}>
        <Link to="/about">{text('titles.about')}</Link>
      </Box>
    </Box>
  );
};

const stateStyle = {
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'baseline',
  columnGap: 3,
  rowGap: 0.5,
  typography: 'body2',
} as const;

const factsStyle = { m: 0, display: 'flex', flexWrap: 'wrap', columnGap: 3, rowGap: 0.5 } as const;
