import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import type { FilterField } from '../parts/filter-field.ts';
import { LongText } from '../parts/long-text.tsx';
import { RecordListPage } from '../parts/record-list-page.tsx';
import type { Column } from '../parts/record-table.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { type Text, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { type Job, jobStates } from './job.ts';
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
  const text = useText();
  return (
    <Chip
      size="small"
      color={colours[state]}
      variant={state === 'waiting' ? 'outlined' : 'filled'}
      label={text(`jobs.states.${state}`)}
    />
  );
};

const columns = (text: Text): Column<Job>[] => [
  {
    name: 'name',
    label: text('jobs.name'),
    fixed: true,
    render: (job) => <Name job={job} />,
  },
  { name: 'state', label: text('jobs.state'), render: (job) => <State job={job} /> },
  { name: 'attempts', label: text('jobs.attempts'), align: 'right', render: ({ attempts }) => attempts },
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
    label: text('jobs.values'),
    sortable: false,
    extra: true,
    render: ({ values }) => (
      <Box component="code" sx={{ fontFamily: monospace, fontSize: 12.5, overflowWrap: 'anywhere' }}>
        {JSON.stringify(values)}
      </Box>
    ),
  },
  {
    name: 'next_run_at',
    label: text('jobs.nextRun'),
    short: true,
    has: ({ next_run_at }) => next_run_at !== null,
    render: ({ next_run_at }) => <RelativeTime value={next_run_at} otherwise="—" />,
  },
  {
    name: 'created_at',
    label: text('common.createdAt'),
    extra: true,
    short: true,
    render: ({ created_at }) => <RelativeTime value={created_at} />,
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

const filters = (text: Text): FilterField[] => [
  {
    name: 'state',
    label: text('jobs.state'),
    kind: 'choice',
    operators: ['eq'],
    choices: jobStates.map((value) => ({ value, label: text(`jobs.states.${value}`) })),
  },
  { name: 'name', label: text('jobs.name'), kind: 'text', operators: ['eq', 'like', 'starts_with'] },
  { name: 'next_run_at', label: text('jobs.nextRun'), kind: 'datetime', operators: ['gte', 'lte'] },
  { name: 'failed_at', label: text('jobs.failedAt'), kind: 'datetime', operators: ['gte', 'lte'] },
];

/** Jobs that wait, run or have failed; the newest first. */
export const Jobs = () => {
  const text = useText();
  return (
    <RecordListPage<Job>
      resource="jobs"
      title={text('jobs.title')}
      lead={text('jobs.lead')}
      columns={columns(text)}
      filters={filters(text)}
      searchable={false}
      empty={text('jobs.empty')}
    />
  );
};
