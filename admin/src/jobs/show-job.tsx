/** The page of one job: its error as a whole, its runs, and its input. */

import Alert from '@mui/material/Alert';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { CodeText, JsonText } from '../parts/json-text.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { Section } from '../parts/section.tsx';
import { Step, Steps } from '../parts/steps.tsx';
import { RelativeTime, Time } from '../parts/time.tsx';
import type { OwnColumn } from '../records/own-list.tsx';
import { OwnShow } from '../records/own-show.tsx';
import { useText } from '../texts/provider.ts';
import { useFailedNamesakes } from './failed-jobs.tsx';
import type { WholeJob } from './job.ts';
import { JobActions } from './job-actions.tsx';
import { JobState } from './job-state.tsx';

/** Milliseconds until a job that waits or runs is read again. */
const rereadMs = 5_000;

const facts: readonly OwnColumn<WholeJob>[] = [
  { name: 'state', render: (job) => <JobState state={job.state} /> },
  'attempts',
  { name: 'key', has: ({ key }) => key !== null },
  {
    name: 'next_run_at',
    has: ({ next_run_at }) => next_run_at !== null,
    render: ({ next_run_at }) => <RelativeTime value={next_run_at} />,
  },
  { name: 'created_at', render: ({ created_at }) => <Time value={created_at} format="full" /> },
  {
    name: 'started_at',
    has: ({ started_at }) => started_at !== null,
    render: ({ started_at }) => <Time value={started_at} format="full" />,
  },
  {
    name: 'failed_at',
    has: ({ failed_at }) => failed_at !== null,
    render: ({ failed_at }) => <Time value={failed_at} format="full" />,
  },
];

const Actions = ({ job }: { readonly job: WholeJob }) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = () => navigate('/jobs');
  const { items, question } = useFailedNamesakes(job.name, async () => {
    // The job may be one of those that were deleted.
    await leave();
    await client.invalidateQueries();
  });
  if (job.state === 'running') return null;
  return (
    <>
      <JobActions job={job} leave={leave} />
      {job.state === 'failed' ? <MoreMenu items={items} /> : null}
      {question}
    </>
  );
};

/** The runs that failed, and the one that runs or comes next. */
const Runs = ({ job: { name, id, state, runs, attempts, started_at, next_run_at } }: JobProps) => {
  const text = useText();
  const failed = runs ?? [];
  // A job that failed before runs were kept.
  if (failed.length === 0 && state === 'failed') return null;
  return (
    <Section title={text('jobs.runs')}>
      {failed.length === 0 && state === 'waiting' ? (
        <Typography sx={{ color: 'text.secondary' }}>{text('jobs.noRun')}</Typography>
      ) : null}
      <Steps label={`${name} #${id}`}>
        {failed.map((run) => (
          <Step
            key={run.started_at}
            tone="bad"
            title={text('jobs.run', { attempt: run.attempt })}
            aside={<Time value={run.ended_at} format="full" />}
          >
            {run.error}
          </Step>
        ))}
        {state === 'running' ? (
          <Step tone="attention" title={text('jobs.run', { attempt: attempts })}>
            <RelativeTime value={started_at} />
          </Step>
        ) : null}
        {state === 'waiting' ? (
          <Step tone="off" title={text('jobs.run', { attempt: attempts + 1 })}>
            <RelativeTime value={next_run_at} otherwise="—" />
          </Step>
        ) : null}
      </Steps>
    </Section>
  );
};

interface JobProps {
  readonly job: WholeJob;
}

/** The whole error of the last run, and the places in the code from which it was thrown. */
const Failure = ({ job: { error, stack, state } }: JobProps) => {
  const text = useText();
  if (error === null) return null;
  return (
    <Stack sx={{ gap: 1 }}>
      <Alert
        severity={state === 'failed' ? 'error' : 'warning'}
        sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {error}
      </Alert>
      {stack === null || stack === '' ? null : <CodeText code={stack} label={text('jobs.stack')} />}
    </Stack>
  );
};

/** One job. A job that succeeds is not kept, and neither is its page. */
export const ShowJob = () => {
  const text = useText();
  return (
    <OwnShow<WholeJob>
      resource="jobs"
      within={text('titles.jobs')}
      titleOf={({ name, id }) => `${name} #${id}`}
      facts={facts}
      rereadingOf={({ state }) => (state === 'failed' ? false : rereadMs)}
      actions={(job) => <Actions job={job} />}
      notice={(job) => <Failure job={job} />}
    >
      {(job) => (
        <Stack sx={{ gap: 2.5 }}>
          <Runs job={job} />
          <Section title={text('jobs.input')} isListed>
            {Object.keys(job.values).length === 0 ? (
              <Typography sx={{ color: 'text.secondary' }}>{text('jobs.noInput')}</Typography>
            ) : (
              <JsonText value={job.values} label={text('jobs.input')} />
            )}
          </Section>
        </Stack>
      )}
    </OwnShow>
  );
};
