import { JobActions } from '../jobs/job-actions.tsx';
import { Link } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';
import { Beneath, filtered, Line, listed, Matter } from './matter.tsx';
import { countText, type Statistics } from './stats.ts';

type Work = Statistics['attention'];

/** Jobs that were tried as often as they may. */
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
          {job.name} #{job.id} · <RelativeTime value={job.failed_at} otherwise="—" />
          {job.error === null ? null : <Beneath>{job.error}</Beneath>}
          <JobActions job={job} />
        </Line>
      ))}
    </Matter>
  );
};

/** Work that has been due for a minute and was not begun. */
export const Backlog = ({ backlog: { jobs, deliveries } }: { readonly backlog: Work['backlog'] }) => {
  const text = useText();
  return (
    <Matter
      title={text('start.backlog')}
      count={countText(jobs + deliveries)}
      more={text('start.backlogHelp')}
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
