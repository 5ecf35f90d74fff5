/** A job as `/admin/jobs` returns it. */

export interface Job {
  readonly id: number;
  readonly name: string;
  /** True if a file of the application defines it. */
  readonly defined: boolean;
  readonly state: 'waiting' | 'running' | 'failed';
  readonly key: string | null;
  readonly values: Readonly<Record<string, unknown>>;
  readonly attempts: number;
  readonly next_run_at: string | null;
  readonly error: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly failed_at: string | null;
}

/** A run that failed. */
export interface FailedRun {
  readonly attempt: number;
  readonly started_at: string;
  readonly ended_at: string;
  readonly error: string;
}

/** One job as `/admin/jobs/:id` returns it. */
export interface WholeJob extends Job {
  /** Places in the code, a line each. */
  readonly stack: string | null;
  readonly runs: readonly FailedRun[] | null;
}

/** Number of changed jobs, as the commands on several of them return it. */
export interface ChangedJobs {
  readonly changed: number;
  readonly left: number;
}
