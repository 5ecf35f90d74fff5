/** The matters of jobs, mail and waiting work on the overview, and models that lack rules or grants. */

import type { ReactNode } from 'react';
import { useJobActions } from '../jobs/job-actions.tsx';
import { Link, LinkButton } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import { useModelName } from '../records/use-metadata.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { Action, Advice, filtered, Line, listed, type Matter } from './matter.tsx';
import { countText, type ModelInNeed, type Statistics } from './stats.ts';

type Work = Statistics['attention'];
type FailedJob = Work['failed_jobs']['jobs'][number];

/** Jobs without further attempts: broken now, or soon again if the schedule of a recurring one is paused. */
export const jobMatters = ({ failed_jobs: { count, jobs } }: Work): readonly Matter[] =>
  jobs.slice(0, listed).map((job) => ({
    key: `job ${job.id}`,
    urgency: job.paused ? 'soon' : 'now',
    line: <FailedJobLine job={job} all={count} />,
  }));

const allFailed = filtered('/jobs', { 'state@eq': 'failed' });

interface FailedJobProps {
  readonly job: FailedJob;
  /** Number of all failed jobs. */
  readonly all: number;
}

/** A recurring job is paused before it fails again; any other is run once more. */
const FailedJobLine = ({ job, all }: FailedJobProps) => {
  const { id, name, error, failed_at, runs, recurring, paused } = job;
  const text = useText();
  const { busy, act } = useAct();
  const { repeat, again, ask, question } = useJobActions({ job });
  const pause = () =>
    act(
      () => send('POST', `/admin/schedules/${encodeURIComponent(name)}/${paused ? 'resume' : 'pause'}`),
      text(paused ? 'schedules.resumed' : 'schedules.pausedNow', { name }),
    );
  const to = recurring ? filtered('/jobs', { 'name@eq': name, 'state@eq': 'failed' }) : allFailed;
  return (
    <>
      <Line
        of={name}
        subject={
          <Link to={to}>
            {recurring ? text('schedules.failedRuns', { name, count: runs }) : `${name} #${id}`}
          </Link>
        }
        about={
          <>
            {paused ? `${text('schedules.paused')} · ` : null}
            <RelativeTime value={failed_at} otherwise="—" />
            {error === null ? null : ` · ${error}`}
          </>
        }
        action={
          recurring ? (
            <Action
              label={text(paused ? 'schedules.resume' : 'schedules.pause')}
              of={name}
              busy={busy}
              onClick={() => void pause()}
            />
          ) : (
            again
          )
        }
        more={[
          ...(recurring ? [{ label: text('jobs.repeat'), onClick: () => void repeat() }] : []),
          { label: `${text('start.showFailedJobs')} (${countText(all)})`, to: allFailed },
          { label: text('common.delete'), dangerous: true, onClick: ask },
        ]}
      />
      {question}
    </>
  );
};

/** Messages that the mail server has not accepted so far. */
export const mailMatters = ({ unsent_mail: { count, error } }: Work): readonly Matter[] =>
  count === 0 ? [] : [{ key: 'mail', urgency: 'now', line: <UnsentMail count={count} error={error} /> }];

const UnsentMail = ({ count, error }: Work['unsent_mail']) => {
  const text = useText();
  return (
    <Line
      of={text('start.unsentMail')}
      subject={
        <Link to={filtered('/jobs', { 'name@eq': 'account-mail' })}>
          {text('start.unsentMail')} ×{countText(count)}
        </Link>
      }
      about={error}
    />
  );
};

/** Work due for a minute and not started. */
export const backlogMatters = ({ backlog }: Work): readonly Matter[] =>
  backlog.jobs + backlog.deliveries === 0
    ? []
    : [{ key: 'backlog', urgency: 'now', line: <Backlog {...backlog} /> }];

const Backlog = ({ jobs, deliveries }: Work['backlog']) => {
  const text = useText();
  return (
    <Line
      of={text('start.overdueWork')}
      subject={text('start.overdueWork')}
      about={
        <>
          {jobs === 0 ? null : (
            <Link to={filtered('/jobs', { 'state@eq': 'waiting' })}>
              {text('start.lateJobs', { count: countText(jobs) })}
            </Link>
          )}
          {jobs === 0 || deliveries === 0 ? null : ' · '}
          {deliveries === 0 ? null : (
            <Link to="/webhooks">{text('start.lateDeliveries', { count: countText(deliveries) })}</Link>
          )}
          {' · '}
          {text('start.overdueWorkHelp')}
        </>
      }
    />
  );
};

interface ModelsProps {
  readonly models: readonly ModelInNeed[];
}

/** Models whose records anyone with a token can read and write. */
export const OpenModels = ({ models }: ModelsProps) => {
  const text = useText();
  return (
    <Advice
      title={text('start.openResources')}
      count={String(models.length)}
      more={text('start.openResourcesHelp')}
    >
      <ModelLines models={models} actionOf={() => null} />
    </Advice>
  );
};

const tableOf = (models: readonly ModelInNeed[]): string =>
  `/permissions?${new URLSearchParams({ models: models.map(({ model }) => model).join(',') })}`;

/** Models with a permission check and without any grant. */
export const UngrantedModels = ({ models }: ModelsProps) => {
  const text = useText();
  const nameOf = useModelName();
  return (
    <Advice
      title={text('start.ungrantedModels')}
      count={String(models.length)}
      more={models.length > 1 ? <Link to={tableOf(models)}>{text('start.setAllRules')}</Link> : null}
    >
      <ModelLines
        models={models}
        actionOf={(each) => (
          <LinkButton
            size="small"
            to={tableOf([each])}
            label={`${text('start.setRules')}: ${nameOf(each.model)}`}
          >
            {text('start.setRules')}
          </LinkButton>
        )}
      />
    </Advice>
  );
};

interface ModelLinesProps extends ModelsProps {
  readonly actionOf: (model: ModelInNeed) => ReactNode;
}

const ModelLines = ({ models, actionOf }: ModelLinesProps) => {
  const nameOf = useModelName();
  return models.slice(0, listed).map((each) => (
    <li key={each.model}>
      <Line
        of={nameOf(each.model)}
        subject={<Link to={`/records/${each.path}`}>{nameOf(each.model)}</Link>}
        about={null}
        action={actionOf(each)}
      />
    </li>
  ));
};
