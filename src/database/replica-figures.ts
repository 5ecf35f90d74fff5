import { type Figure, figure } from '../kernel/figure.ts';
import type { ReplicaState } from './database.ts';

/** The figures of a replica: its lag, and the reads that it and the primary served. None without a replica. */
export const figuresOfReplica = (state: ReplicaState | undefined): readonly Figure[] => {
  if (state === undefined) return [];
  const { age, used, passed, failed } = state;
  return [
    {
      name: 'replica_used',
      type: 'gauge',
      help: 'Whether reads may go to the replica at this moment: 0 while it is away or too old.',
      across: 'min',
      samples: [{ value: age === undefined ? 0 : 1 }],
    },
    {
      name: 'replica_age_seconds',
      type: 'gauge',
      help: 'Time for which something committed may be missing on the replica; absent while it is not used.',
      across: 'max',
      samples: age === undefined ? [] : [{ value: age / 1000 }],
    },
    {
      name: 'replica_requests_total',
      type: 'counter',
      help: 'Requests whose reads may go to the replica, by the server that was read.',
      across: 'sum',
      samples: [
        { labels: { server: 'replica' }, value: used },
        { labels: { server: 'primary' }, value: passed },
      ],
    },
    figure(
      'counter',
      'replica_failures_total',
      'Reads that failed on the replica and were repeated on the first server.',
      failed,
    ),
  ];
};
