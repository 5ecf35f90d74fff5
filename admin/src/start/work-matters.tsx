/** The cards about jobs, mails and missing permissions on the overview. */

import { JobActions } from '../jobs/job-actions.tsx';
import { Pause } from '../jobs/schedules.tsx';
import { Link } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useModelName } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import { filtered, Line, listed, Matter, SecondaryText } from './matter.tsx';
import { countText, type ModelInNeed, type Statistics } from './stats.ts';

type Work = Statistics['attention'];

/** Jobs without further attempts. */
export const FailedJobs = ({ found: { count, jobs } }: { readonly found: Work['failed_jobs'] }) => {
  const text = useText();
  return (
    <Matter
      title={text('start.failedJobs')}
      count={countText(count)}
      more={<Link to={filtered('/jobs', { 'state@eq': 'failed' })}>{text('start.showFailedJobs')}</Link>}
    >
      {jobs.slice(0, listed).map((job) => (
        <Line key={job.id}>
          {job.recurring ? (
            <Link to={filtered('/jobs', { 'name@eq': job.name, 'state@eq': 'failed' })}>
              {text('schedules.failedRuns', { name: job.name, count: job.runs })}
            </Link>
          ) : (
            `${job.name} #${job.id}`
          )}{' '}
          · <RelativeTime value={job.failed_at} otherwise="—" />
          {job.error === null ? null : <SecondaryText>{job.error}</SecondaryText>}
          <JobActions job={job} />
          {job.recurring ? <Pause name={job.name} paused={job.paused} /> : null}
        </Line>
      ))}
    </Matter>
  );
};

/** Messages that the mail server has not accepted so far. */
export const UnsentMail = ({ found: { count, error } }: { readonly found: Work['unsent_mail'] }) => {
  const text = useText();
  return (
    <Matter title={text('start.unsentMail')} count={countText(count)} more={error}>
      <Line>
        <Link to={filtered('/jobs', { 'name@eq': 'account-mail' })}>
          {text('start.lateJobs', { count: countText(count) })}
        </Link>
      </Line>
    </Matter>
  );
};

/** Work due for a minute and not started. */
export const Backlog = ({ backlog: { jobs, deliveries } }: { readonly backlog: Work['backlog'] }) => {
  const text = useText();
  return (
    <Matter
      title={text('start.overdueWork')}
      count={countText(jobs + deliveries)}
      more={text('start.overdueWorkHelp')}
    >
      {jobs === 0 ? null : (
        <Line>
          <Link to={filtered('/jobs', { 'state@eq': 'waiting' })}>
            {text('start.lateJobs', { count: countText(jobs) })}
          </Link>
        </Line>
      )}
      {deliveries === 0 ? null : (
        <Line>
          <Link to="/webhooks">{text('start.lateDeliveries', { count: countText(deliveries) })}</Link>
        </Line>
      )}
    </Matter>
  );
};

interface ModelMatterProps {
  readonly models: readonly ModelInNeed[];
}

/** Models whose records anyone with a token can read and write. */
export const OpenModels = ({ models }: ModelMatterProps) => {
  const text = useText();
  const nameOf = useModelName();
  return (
    <Matter
      title={text('start.openResources')}
      count={String(models.length)}
      more={text('start.openResourcesHelp')}
    >
      {models.slice(0, listed).map(({ model, path }) => (
        <Line key={model}>
          <Link to={`/records/${path}`}>{nameOf(model)}</Link>
        </Line>
      ))}
    </Matter>
  );
};

const tableOf = (models: readonly ModelInNeed[]): string =>
  `/permissions?${new URLSearchParams({ models: models.map(({ model }) => model).join(',') })}`;

/** Models with a permission check and without any grant. */
export const UngrantedModels = ({ models }: ModelMatterProps) => {
  const text = useText();
  const nameOf = useModelName();
  return (
    <Matter
      title={text('start.ungrantedModels')}
      count={String(models.length)}
      more={models.length > 1 ? <Link to={tableOf(models)}>{text('start.setAllRules')}</Link> : null}
    >
      {models.slice(0, listed).map((each) => (
        <Line key={each.model}>
          <Link to={`/records/${each.path}`}>{nameOf(each.model)}</Link> ·{' '}
          <Link to={tableOf([each])} label={`${text('start.setRules')}: ${nameOf(each.model)}`}>
            {text('start.setRules')}
          </Link>
        </Line>
      ))}
    </Matter>
  );
};
