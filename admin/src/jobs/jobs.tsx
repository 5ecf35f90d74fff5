/** The page of jobs. */

import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Section } from '../parts/section.tsx';
import { Status } from '../parts/status.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { useWords } from '../records/use-metadata.ts';
import { type Text, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import type { Job } from './job.ts';
import { JobActions } from './job-actions.tsx';
import { Schedules } from './schedules.tsx';

const tones = { waiting: 'off', running: 'good', failed: 'bad' } as const;

const Remark = ({ children }: { readonly children: ReactNode }) => (
  <Box component="span" sx={{ color: 'text.secondary', fontWeight: 400 }}>
    {' · '}
    {children}
  </Box>
);

const Name = ({ job: { id, name, key, defined } }: { readonly job: Job }) => {
  const text = useText();
  return (
    <>
      {name}{' '}
      <Box component="span" sx={{ color: 'text.secondary', fontWeight: 400 }}>
        #{id}
      </Box>
      {key === null ? null : <Remark>{text('jobs.key', { key })}</Remark>}
      {defined ? null : <Remark>{text('jobs.undefined')}</Remark>}
    </>
  );
};

const State = ({ job: { state } }: { readonly job: Job }) => {
  const wordOf = useWords('jobs');
  return <Status tone={tones[state]}>{wordOf('state', state)}</Status>;
};

const columns = (text: Text): OwnColumn<Job>[] => [
  {
    name: 'name',
    fixed: true,
    names: true,
    render: (job) => <Name job={job} />,
  },
  { name: 'state', render: (job) => <State job={job} /> },
  'attempts',
  {
    // The first click on the heading shows the latest failure first.
    name: 'failed_at',
    label: text('jobs.error'),
    has: ({ error }) => error !== null,
    render: ({ error, failed_at }) =>
      error === null ? (
        '—'
      ) : (
        <span title={error}>
          {error}
          {failed_at === null ? null : (
            <Remark>
              <RelativeTime value={failed_at} />
            </Remark>
          )}
        </span>
      ),
  },
  {
    name: 'values',
    extra: true,
    render: ({ values }) => (
      <Box component="code" sx={{ fontFamily: monospace, fontSize: 12.5, overflowWrap: 'anywhere' }}>
        {JSON.stringify(values)}
      </Box>
    ),
  },
  {
    name: 'next_run_at',
    has: ({ next_run_at }) => next_run_at !== null,
    render: ({ next_run_at }) => <RelativeTime value={next_run_at} otherwise="—" />,
  },
  {
    name: 'created_at',
    extra: true,
  },
  {
    name: 'acts',
    acts: true,
    label: text('common.actions'),
    sortable: false,
    has: ({ state }) => state !== 'running',
    render: (job) => (job.state === 'running' ? null : <JobActions job={job} />),
  },
];

/** Waiting, running and failed jobs, newest first. */
export const Jobs = () => {
  const text = useText();
  return (
    <OwnList<Job>
      resource="jobs"
      title={text('titles.jobs')}
      lead={text('jobs.lead')}
      columns={columns(text)}
      hidden={['id', 'defined', 'key', 'error', 'started_at']}
      searchable={false}
      empty={text('jobs.empty')}
    >
      <Box sx={{ mt: 4 }}>
        <Section title={text('schedules.title')} isListed>
          <Typography sx={{ color: 'text.secondary' }}>{text('schedules.lead')}</Typography>
          <Schedules />
        </Section>
      </Box>
    </OwnList>
  );
};
