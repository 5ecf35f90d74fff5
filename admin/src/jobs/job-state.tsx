import { Status } from '../parts/status.tsx';
import { useWords } from '../records/use-metadata.ts';
import type { Job } from './job.ts';

const tones = { waiting: 'off', running: 'good', failed: 'bad' } as const;

export const JobState = ({ state }: Pick<Job, 'state'>) => {
  const wordOf = useWords('jobs');
  return <Status tone={tones[state]}>{wordOf('state', state)}</Status>;
};
