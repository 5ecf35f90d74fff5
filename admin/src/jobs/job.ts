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
