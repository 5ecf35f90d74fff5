import { setTimeout as delay } from 'node:timers/promises';
import { field } from '../fields/define.ts';
import type { Clock } from '../kernel/clock.ts';
import { DefinitionError } from '../model/definition-error.ts';
import { haveEvents, type Models } from '../model/models.ts';
import type { VersionPurge } from '../records/history/history.ts';
import type { Trash } from '../records/trash/trash.ts';
import { type EventLog, eventDays } from '../service/events/event-log.ts';
import { removalJob, sendingJob, type Webhooks } from '../webhooks/webhooks.ts';
import { defineJob, type JobDefinition, type Jobs } from './define-job.ts';

/** Dependencies of the service's own jobs. */
export interface OwnJobParts {
  /** Clock by which expired rows are removed. */
  readonly removalClock: Clock;
  readonly models: Models;
  readonly events: EventLog;
  readonly trash: Trash;
  /** Days for which a deleted record can be restored. */
  readonly trashDays: number;
  readonly purgeVersions: VersionPurge;
  /** Days for which versions are kept beside the latest one of each record; undefined: for ever. */
  readonly historyDays: number | undefined;
  /** Available once the service is composed. */
  readonly webhooks: () => Webhooks;
}

/** A job of the service's own; undefined where the application does not need it, so that it is not polled for. */
type OwnJob = (parts: OwnJobParts) => JobDefinition | undefined;

const day = 86_400_000;

/** Milliseconds between two steps of a removal, in which other writes run. */
const stepPauseMs = 50;

/** The pause of jobs that remove expired rows in steps. */
const pauseBetweenSteps = (signal: AbortSignal) => async (): Promise<void> => {
  await delay(stepPauseMs, undefined, { signal });
};

const purgeEvents: OwnJob = ({ removalClock, models, events }) =>
  haveEvents(models)
    ? defineJob({
        every: '17 * * * *',
        timeout: 3_000,
        handle: async ({ signal }) => {
          await events.settle();
          await events.purge(removalClock() - eventDays * day, pauseBetweenSteps(signal));
        },
      })
    : undefined;

/** Rows that one step removes at most, so that it does not noticeably delay writes. */
const trashStepRows = 500;

const purgeTrash: OwnJob = ({ removalClock, models, trash, trashDays }) =>
  [...models.values()].some((model) => model.trash)
    ? defineJob({
        every: '47 * * * *',
        timeout: 3_000,
        handle: async ({ signal }) => {
          const pause = pauseBetweenSteps(signal);
          const before = removalClock() - trashDays * day;
          while ((await trash.purge(before, trashStepRows)) > 0) await pause();
        },
      })
    : undefined;

/** Once a day, since it examines every stored version. */
const purgeHistory: OwnJob = ({ removalClock, models, purgeVersions, historyDays }) =>
  historyDays !== undefined && [...models.values()].some((model) => model.history)
    ? defineJob({
        every: '57 3 * * *',
        timeout: 3_000,
        handle: async ({ signal }) => {
          await purgeVersions(removalClock() - historyDays * day, pauseBetweenSteps(signal));
        },
      })
    : undefined;

const ofWebhook = { webhook: field.integer({ required: true }) } as const;

/** Never fails: unsent messages are found again. A process that dies while it sends counts as an attempt. */
const sendWebhook: OwnJob = ({ models, webhooks }) =>
  haveEvents(models)
    ? defineJob({
        input: ofWebhook,
        attempts: 1_000,
        timeout: 120,
        handle: ({ values, signal }) => webhooks().run(values.webhook, signal),
      })
    : undefined;

const purgeWebhook: OwnJob = ({ models, webhooks }) =>
  haveEvents(models)
    ? defineJob({
        input: ofWebhook,
        timeout: 3_000,
        handle: ({ values, signal }) =>
          webhooks().deliveries.removeOf(values.webhook, pauseBetweenSteps(signal)),
      })
    : undefined;

const purgeDeliveries: OwnJob = ({ removalClock, models, webhooks }) =>
  haveEvents(models)
    ? defineJob({
        every: '37 * * * *',
        timeout: 3_000,
        handle: ({ signal }) => webhooks().deliveries.removeOld(pauseBetweenSteps(signal), removalClock()),
      })
    : undefined;

/** By their names, which jobs of applications cannot have. */
const ownJobs: Readonly<Record<string, OwnJob>> = {
  'purge-events': purgeEvents,
  'purge-trash': purgeTrash,
  'purge-history': purgeHistory,
  [sendingJob]: sendWebhook,
  [removalJob]: purgeWebhook,
  'purge-deliveries': purgeDeliveries,
};

/** The jobs of an application and those of the service that it needs. @throws DefinitionError */
export const withOwnJobs = (jobs: Jobs, parts: OwnJobParts): Jobs => {
  for (const name of jobs.keys())
    if (Object.hasOwn(ownJobs, name))
      throw new DefinitionError(`job ${name}`, 'the name is used by a job of the service: choose another');
  const own = Object.entries(ownJobs).flatMap(([name, make]): [string, JobDefinition][] => {
    const job = make(parts);
    return job === undefined ? [] : [[name, job]];
  });
  return new Map([...jobs, ...own]);
};
