import type { Endpoint } from '../http/endpoint.ts';
import type { JobService, WorkParts } from '../jobs/service.ts';
import { Problem } from '../kernel/problem.ts';
import type { Closing } from './closing.ts';
import type { Config } from './config.ts';

/** What is answered of all endpoints: where a process runs jobs only, the health check, and 503 for the others. */
export const servedBy = ({ jobs }: Pick<Config, 'jobs'>, endpoints: readonly Endpoint[]): Endpoint[] =>
  endpoints.map((endpoint) => {
    if (jobs !== 'only' || endpoint.operation === 'getHealth') return endpoint;
    const { operation, method, path, docs } = endpoint;
    return {
      ...{ operation, method, path, docs },
      auth: [],
      policy: { kind: 'open' },
      accepts: 'nothing',
      handle: () => {
        throw new Problem('jobs_only', { headers: { 'Retry-After': '5' } });
      },
    };
  });

/**
 * Has jobs worked on from `begin` on, if this process shall. They end beside the requests that are in flight, so what
 * both need is opened before, and what takes requests between this and `begin`.
 */
export const prepareWork = ({ jobs: mode, jobsConcurrency }: Config, closing: Closing) => {
  let ended: Promise<void> | undefined;
  closing.push(() => ended);
  return {
    begin: (jobs: JobService, parts: Omit<WorkParts, 'concurrency'>): void => {
      if (mode === 'off' || jobs.names.length === 0) return;
      const end = jobs.work({ ...parts, concurrency: jobsConcurrency });
      closing.push(async () => {
        ended = end();
        // Whoever awaits it comes later.
        ended.catch(() => {});
      });
    },
  };
};
