import { setTimeout as delay } from 'node:timers/promises';
import { field } from '../fields/define.ts';
import type { Clock } from '../kernel/clock.ts';
import { DefinitionError } from '../model/definition-error.ts';
import { type Models, tellsEvents } from '../model/models.ts';
import type { VersionPurge } from '../records/history/history.ts';
import type { Trash } from '../records/trash/trash.ts';
import { type EventLog, eventDays } from '../service/events/event-log.ts';
import { removalJob, sendingJob, type Webhooks } from '../webhooks/webhooks.ts';
import { defineJob, type JobDefinition, type Jobs } from './define-job.ts';

/** What the service's own jobs work with. */
export interface OwnJobParts {
  /** By which what has run out is removed. */
  readonly removalClock: Clock;
  readonly models: Models;
  readonly events: EventLog;
  readonly trash: Trash;
  /** Days for which a deleted record can be brought back. */
  readonly trashDays: number;
  readonly purgeVersions: VersionPurge;
  /** Days for which versions are kept beside the latest one of each record; undefined: for good. */
  readonly historyDays: number | undefined;
  /** There once everything is put together. */
  readonly webhooks: () => Webhooks;
}

/** A job of the service's own; undefined where the application has no use for it, so that nobody looks for it. */
type OwnJob = (parts: OwnJobParts) => JobDefinition | undefined;

const day = 86_400_000;

/** Milliseconds between two steps of a removal, in which others write. */
const betweenSteps = 50;

/** For jobs that remove what has run out, in steps: each waits a little for the others. */
const pausing = (signal: AbortSignal) => async (): Promise<void> => {
  await delay(betweenSteps, undefined, { signal });
};

const purgeEvents: OwnJob = ({ removalClock, models, events }) =>
  tellsEvents(models)
    ? defineJob({
        every: '17 * * * *',
        timeout: 3_000,
        handle: async ({ signal }) => {
          await events.settle();
          await events.purge(removalClock() - eventDays * day, pausing(signal));
        },
      })
    : undefined;

/** Rows that one step removes at most: it is over before a write has waited noticeably. */
const trashStep = 500;

const purgeTrash: OwnJob = ({ removalClock, models, trash, trashDays }) =>
  [...models.values()].some((model) => model.trash)
    ? defineJob({
        every: '47 * * * *',
        timeout: 3_000,
        handle: async ({ signal }) => {
          const pause = pausing(signal);
          const before = removalClock() - trashDays * day;
          while ((await trash.purge(before, trashStep)) > 0) await pause();
        },
      })
    : undefined;

/** Once a day: it looks at every version that is kept. */
const purgeHistory: OwnJob = ({ removalClock, models, purgeVersions, historyDays }) =>
  historyDays !== undefined && [...models.values()].some((model) => model.history)
    ? defineJob({
        every: '57 3 * * *',
        timeout: 3_000,
        handle: async ({ signal }) => {
          await purgeVersions(removalClock() - historyDays * day, pausing(signal));
        },
      })
    : undefined;

const ofWebhook = { webhook: field.integer({ required: true }) } as const;

/** Never fails: what could not be sent is found again. A process that goes while it sends counts as an attempt. */
const sendWebhook: OwnJob = ({ models, webhooks }) =>
  tellsEvents(models)
    ? defineJob({
        input: ofWebhook,
        attempts: 1_000,
        timeout: 120,
        handle: ({ values, signal }) => webhooks().run(values.webhook, signal),
      })
    : undefined;

const purgeWebhook: OwnJob = ({ models, webhooks }) =>
  tellsEvents(models)
    ? defineJob({
        input: ofWebhook,
        timeout: 3_000,
        handle: ({ values, signal }) => webhooks().deliveries.removeOf(values.webhook, pausing(signal)),
      })
    : undefined;

const purgeDeliveries: OwnJob = ({ removalClock, models, webhooks }) =>
  tellsEvents(models)
    ? defineJob({
        every: '37 * * * *',
        timeout: 3_000,
        handle: ({ signal }) => webhooks().deliveries.removeOld(pausing(signal), removalClock()),
      })
    : undefined;

/** By their names, which applications cannot give to jobs of theirs. */
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
      throw new DefinitionError(`job ${name}`, 'the service has a job of this name: choose another');
  const own = Object.entries(ownJobs).flatMap(([name, make]): [string, JobDefinition][] => {
    const job = make(parts);
    return job === undefined ? [] : [[name, job]];
  });
  return new Map([...jobs, ...own]);
};
