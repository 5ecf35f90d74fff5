import type { JobOptions } from '../model/job.ts';
import type { SharedTransaction } from './transaction.ts';

/** Where jobs are stored; `src/jobs` does it. A job is what its file exports, or its name. */
export interface JobPort {
  /**
   * Checks the values, stores the job and answers its id; in the transaction where one is given, and then nothing is
   * woken before that is committed.
   * @throws Problem `invalid_record`; Error where no file of `jobs/` defines the job
   */
  add(
    job: object | string,
    values: object,
    options: JobOptions,
    shared: SharedTransaction | undefined,
  ): Promise<number>;
}
