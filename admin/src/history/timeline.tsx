/** The latest changes of a record, on its page. */

import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { LinkButton } from '../parts/link.tsx';
import { Step, Steps } from '../parts/steps.tsx';
import { RelativeTime } from '../parts/time.tsx';
import type { Metadata } from '../records/metadata.ts';
import { recordsPrefix, send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { Actor } from './actor.tsx';
import { changedFields, historyPath, isForgotten, type Version } from './version.ts';

/** Versions on the page of a record; its history has all of them. */
const latest = 5;

interface TimelineProps {
  readonly metadata: Metadata;
  readonly path: string;
  readonly id: number;
}

/** The latest changes of a record: author, time and fields. */
export const Timeline = ({ metadata, path, id }: TimelineProps) => {
  const text = useText();
  const { data } = useQuery({
    queryKey: ['timeline', path, id],
    queryFn: async ({ signal }) => {
      const address = `/admin/${recordsPrefix}${path}/${id}/history?per_page=${latest}`;
      const { data: versions, headers } = await send<readonly Version[]>('GET', address, { signal });
      return { versions, total: Number(headers.get('x-total-count') ?? versions.length) };
    },
  });
  if (data === undefined || data.versions.length === 0) return null;
  return (
    <Stack component="section" aria-labelledby="activity" sx={{ gap: 1 }}>
      <Stack direction="row" sx={{ alignItems: 'center', flexWrap: 'wrap', gap: 1 }}>
        <Typography id="activity" variant="h2" sx={{ flexGrow: 1 }}>
          {text('history.latest')}
        </Typography>
        <LinkButton to={historyPath(path, id)} size="small">
          {text('history.all', { count: data.total })}
        </LinkButton>
      </Stack>
      <Paper variant="outlined" sx={{ p: 1 }}>
        <Steps>
          {data.versions.map((version) => (
            <Step
              key={version.version}
              tone={version.action === 'destroy' ? 'bad' : 'off'}
              title={<What metadata={metadata} version={version} />}
            >
              <Actor actor={version.actor} /> · <RelativeTime value={version.at} />
            </Step>
          ))}
        </Steps>
      </Paper>
    </Stack>
  );
};

interface WhatProps {
  readonly metadata: Metadata;
  readonly version: Version;
}

const What = ({ metadata, version }: WhatProps) => {
  const text = useText();
  const { action, before, after } = version;
  const done = text(`history.actions.${action}`);
  if (action !== 'update' || isForgotten(version)) return <>{done}</>;
  const labels = changedFields(metadata, before, after).map(({ label }) => label);
  return (
    <>
      {done} <span style={{ fontWeight: 400 }}>{labels.join(text('common.separator'))}</span>
    </>
  );
};
