/** Texts of the page of recurring jobs. */
export const schedules = {
  title: 'Recurring jobs',
  empty: 'There are no recurring jobs.',
  paused: 'Paused',
  pause: 'Pause',
  resume: 'Resume',
  pausedNow: '“%{name}” is paused on all instances',
  resumed: '“%{name}” runs again from its next tick on',
  failedRuns: '%{name} failed %{count}×',
  lead: 'While a job is paused, no new runs are scheduled. Runs that wait already, for a retry too, are not affected.',
};
