/** The door to jobs: their definition, the worker that runs them, and schedules. */

export type { JobWorkers } from './jobs/commands.ts';
export { jobCommands } from './jobs/commands.ts';
export type { JobContext, JobDefinition, Jobs } from './jobs/define-job.ts';
export { collectJobs, defineJob, isJobDefinition } from './jobs/define-job.ts';
export { jobEndpoint, jobEntity } from './jobs/entity.ts';
export type { JobService, NextTicks, WorkParts } from './jobs/job-service.ts';
export { createJobs, withOwnJobs } from './jobs/job-service.ts';
export { scheduleCommands } from './jobs/schedules/commands.ts';
export { scheduleEntity } from './jobs/schedules/entity.ts';
export type { Perform, WorkerTimes } from './jobs/worker.ts';
export { storeOutcome } from './jobs/worker.ts';
