/** The list of recurring jobs, on the page of jobs. */

import Button from '@mui/material/Button';
import { Link } from '../parts/link.tsx';
import { Status } from '../parts/status.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import { type OwnColumn, OwnPart } from '../records/own-list.tsx';
import { send } from '../service.ts';
import { filtered } from '../start/matter.tsx';
import { type Text, useText } from '../texts/provider.ts';

/** The schedule of a recurring job as `/admin/schedules` returns it. */
interface Schedule {
  readonly id: string;
  readonly name: string;
  readonly pattern: string;
  readonly last_tick_at: string;
  /** Null while it is paused. */
  readonly next_run_at: string | null;
  readonly failed: number;
  readonly paused_at: string | null;
}

interface PauseProps {
  readonly name: string;
  readonly paused: boolean;
}

/** Pauses a recurring job on every instance, or resumes it. */
export const Pause = ({ name, paused }: PauseProps) => {
  const text = useText();
  const { busy, act } = useAct();
  const action = text(paused ? 'schedules.resume' : 'schedules.pause');
  const done = text(paused ? 'schedules.resumed' : 'schedules.pausedNow', { name });
  const path = `/admin/schedules/${encodeURIComponent(name)}/${paused ? 'resume' : 'pause'}`;
  return (
    <Button
      size="small"
      loading={busy}
      aria-label={`${action}: ${name}`}
      onClick={() => void act(() => send('POST', path), done)}
    >
      {action}
    </Button>
  );
};

const columns = (text: Text): OwnColumn<Schedule>[] => [
  {
    name: 'name',
    fixed: true,
    render: ({ name, paused_at }) => (
      <>
        {name} {paused_at === null ? null : <Status tone="attention">{text('schedules.paused')}</Status>}
      </>
    ),
  },
  { name: 'pattern', render: ({ pattern }) => <code>{pattern}</code> },
  { name: 'last_tick_at', render: ({ last_tick_at }) => <RelativeTime value={last_tick_at} /> },
  {
    name: 'next_run_at',
    sortable: false,
    render: ({ next_run_at }) => <RelativeTime value={next_run_at} otherwise="—" />,
  },
  {
    name: 'failed',
    render: ({ name, failed }) =>
      failed === 0 ? (
        failed
      ) : (
        <Link to={filtered('/jobs', { 'name@eq': name, 'state@eq': 'failed' })}>{failed}</Link>
      ),
  },
  {
    name: 'acts',
    acts: true,
    label: text('common.actions'),
    sortable: false,
    render: ({ name, paused_at }) => <Pause name={name} paused={paused_at !== null} />,
  },
];

/** Recurring jobs: one schedule for all instances. */
export const Schedules = () => {
  const text = useText();
  return (
    <OwnPart<Schedule>
      resource="schedules"
      label={text('schedules.title')}
      columns={columns(text)}
      filters={[]}
      sort={{ field: 'name', order: 'ASC' }}
      perPage={50}
      empty={text('schedules.empty')}
    />
  );
};
