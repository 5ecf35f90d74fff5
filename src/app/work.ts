import type { JobService, WorkParts } from '../delivery/jobs.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { Problem } from '../kernel/problem.ts';
import type { Closing } from './closing.ts';
import type { Config } from './config.ts';

/**
 * The endpoints that this process serves: all, or, where it only runs jobs, the health check and 503 for the others.
 */
export const servedBy = ({ jobs }: Pick<Config, 'jobs'>, endpoints: readonly Endpoint[]): Endpoint[] =>
  endpoints.map((endpoint) => {
    if (jobs !== 'only' || endpoint.operation === 'getHealth') return endpoint;
    const { operation, method, path, docs } = endpoint;
    return {
      operation,
      method,
      path,
      docs,
      auth: [],
      policy: { kind: 'open' },
      accepts: 'nothing',
      handle: () => {
        throw new Problem('jobs_only', { headers: { 'Retry-After': '5' } });
      },
    };
  });

/**
 * Starts to run jobs when `begin` is called, if this process is to run any. They end in parallel with running
 * requests, so parts that both need are opened before, and parts that accept requests between this call and `begin`.
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
        // The caller awaits it later.
        ended.catch(() => {});
      });
    },
  };
};
