import type { JobOptions } from '../../model/job.ts';
import type { SharedTransaction } from './transaction.ts';

/** The storage of jobs, implemented in `src/delivery/jobs`. A job is the export of its file, or its name. */
export interface JobPort {
  /**
   * Checks the values, stores the job and returns its id. In a given transaction, workers are woken after its commit.
   * @throws Problem `invalid_record`; Error where no file of `jobs/` defines the job
   */
  add(
    job: object | string,
    values: object,
    options: JobOptions,
    shared: SharedTransaction | undefined,
  ): Promise<number>;
}
