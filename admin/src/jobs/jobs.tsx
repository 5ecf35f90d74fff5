/** The page of jobs. */

import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Link } from '../parts/link.tsx';
import { Section } from '../parts/section.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { type Text, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { BulkJobs } from './failed-jobs.tsx';
import type { Job } from './job.ts';
import { RowActions } from './job-actions.tsx';
import { JobState } from './job-state.tsx';
import { Schedules } from './schedules.tsx';

const jobPath = (id: number): string => `/jobs/${id}/show`;

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
      <Link to={jobPath(id)}>
        {name} #{id}
      </Link>
      {key === null ? null : <Remark>{text('jobs.key', { key })}</Remark>}
      {defined ? null : <Remark>{text('jobs.undefined')}</Remark>}
    </>
  );
};

const columns = (text: Text): OwnColumn<Job>[] => [
  {
    name: 'name',
    fixed: true,
    names: true,
    render: (job) => <Name job={job} />,
  },
  { name: 'state', render: (job) => <JobState state={job.state} /> },
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
        <span>
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
    render: (job) => (job.state === 'running' ? null : <RowActions job={job} />),
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
      to={({ id }) => jobPath(id)}
      nameOf={({ name, id }) => `${name} #${id}`}
      bulkActions={<BulkJobs />}
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
