import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { LongText } from '../parts/long-text.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { useWords } from '../records/use-metadata.ts';
import { type Text, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import type { Job } from './job.ts';
import { JobActions } from './job-actions.tsx';

const colours = { waiting: 'default', running: 'info', failed: 'error' } as const;

/** A remark under what it belongs to. */
const Remark = ({ children }: { readonly children: ReactNode }) => (
  <Typography variant="body2" sx={{ color: 'text.secondary' }}>
    {children}
  </Typography>
);

const Name = ({ job: { id, name, key, defined } }: { readonly job: Job }) => {
  const text = useText();
  return (
    <Box sx={{ minWidth: { sm: 160 }, overflowWrap: 'anywhere' }}>
      {name} #{id}
      {key === null ? null : <Remark>{text('jobs.key', { key })}</Remark>}
      {defined ? null : <Remark>{text('jobs.undefined')}</Remark>}
    </Box>
  );
};

const State = ({ job: { state } }: { readonly job: Job }) => {
  const wordOf = useWords('jobs');
  return (
    <Chip
      size="small"
      color={colours[state]}
      variant={state === 'waiting' ? 'outlined' : 'filled'}
      label={wordOf('state', state)}
    />
  );
};

const columns = (text: Text): OwnColumn<Job>[] => [
  {
    name: 'name',
    fixed: true,
    render: (job) => <Name job={job} />,
  },
  { name: 'state', render: (job) => <State job={job} /> },
  'attempts',
  {
    // The last that failed stands first when it is asked for.
    name: 'failed_at',
    label: text('jobs.error'),
    has: ({ error }) => error !== null,
    render: ({ error, failed_at }) =>
      error === null ? (
        '—'
      ) : (
        <Box sx={{ minWidth: { sm: 200 }, overflowWrap: 'anywhere' }}>
          <LongText value={error} />
          {failed_at === null ? null : (
            <Remark>
              <RelativeTime value={failed_at} />
            </Remark>
          )}
        </Box>
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
    short: true,
    has: ({ next_run_at }) => next_run_at !== null,
    render: ({ next_run_at }) => <RelativeTime value={next_run_at} otherwise="—" />,
  },
  {
    name: 'created_at',
    extra: true,
    short: true,
  },
  {
    name: 'acts',
    acts: true,
    label: text('common.actions'),
    sortable: false,
    short: true,
    has: ({ state }) => state !== 'running',
    render: (job) => (job.state === 'running' ? null : <JobActions job={job} />),
  },
];

/** Jobs that wait, run or have failed; the newest first. */
export const Jobs = () => {
  const text = useText();
  return (
    <OwnList<Job>
      resource="jobs"
      title={text('jobs.title')}
      lead={text('jobs.lead')}
      columns={columns(text)}
      searchable={false}
      empty={text('jobs.empty')}
    />
  );
};
