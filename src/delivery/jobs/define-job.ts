/** Jobs of an application as data: `defineJob`, its options and schedules, and the checks of both. */

import { Cron } from 'croner';
import { errorMessage } from '../../kernel/error-message.ts';
import type { Locale } from '../../kernel/messages.ts';
import { code, numeric, type OptionTable, optionsFlaw, textual } from '../../kernel/options.ts';
import { checkField, fieldsOption } from '../../model/define-resource.ts';
import { DefinitionError } from '../../model/definition-error.ts';
import type { CheckedInput, InputFields, Job, SentInput } from '../../model/job.ts';
import type { Scope } from '../../model/scope.ts';

/** When a recurring job runs. */
export interface JobSchedule {
  /** Its identity: expression and time zone. */
  readonly pattern: string;
  /** The first tick after a moment, both in milliseconds since the epoch; undefined where none comes any more. */
  next(after: number): number | undefined;
}

/**
 * Reads a cron expression. Its ticks are computed by croner, which knows of time zones and of days that have no, or
 * two, such hours; its timers are not used.
 * @throws Error that says what is wrong with it
 */
export const parseSchedule = (every: string, timeZone = 'UTC'): JobSchedule => {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch (cause) {
    throw new Error(`timeZone ${timeZone} is none that this system knows`, { cause });
  }
  const cron = readExpression(every, timeZone);
  const schedule: JobSchedule = {
    pattern: `${every} ${timeZone}`,
    next: (after) => cron.nextRun(new Date(after))?.getTime(),
  };
  if (schedule.next(Date.now()) === undefined) throw new Error(`every ${every} never comes`);
  return schedule;
};

const readExpression = (every: string, timeZone: string): Cron => {
  try {
    return new Cron(every, { timezone: timeZone, mode: '5-or-6-parts', paused: true });
  } catch (cause) {
    const reason = errorMessage(cause);
    throw new Error(`every ${every} is not a cron expression: ${reason}`, { cause });
  }
};

/** The argument of `handle`: a scope that acts for the system, and data of this run. */
export interface JobContext<Fields extends InputFields = InputFields> extends Scope<'all'> {
  /** The input, validated again; defaults included. */
  readonly values: CheckedInput<Fields>;
  /** The same for every attempt, so that other services can recognise a repeated call. */
  readonly id: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** The first language of the service. */
  readonly language: Locale;
  /**
   * Aborted when its timeout is over, when the process is about to stop, and when another process has taken over the
   * job.
   */
  readonly signal: AbortSignal;
}

/** A job: work that runs after a transaction is durable, at a given time, or on a schedule. */
export interface JobDefinition<Fields extends InputFields = InputFields> {
  /** Fields of its input; they are validated like those of a resource. */
  readonly input?: Fields;
  /** Runs before it counts as failed; 8 unless given. */
  readonly attempts?: number;
  /** Seconds that one run may take; 60 unless given. */
  readonly timeout?: number;
  /** Cron expression of five fields, or of six with seconds, for a job without required input. */
  readonly every?: string;
  /** Time zone of `every` (`Europe/Berlin`); UTC unless given. */
  readonly timeZone?: string;
  /** Does the work. It may run more than once; an error leads to another attempt later. */
  handle(context: JobContext<Fields>): unknown;
}

/** @limit Events, webhooks and jobs | default attempts of a job | count | failed */
export const defaultAttempts = 8;
/** @limit Events, webhooks and jobs | default timeout of an attempt of a job | s | failed */
export const defaultTimeout = 60;

/**
 * Maximum time of one run, in seconds: a day.
 * @limit Events, webhooks and jobs | longest `timeout` of a job | s | no start
 */
const maxTimeoutSeconds = 86_400;

const options = {
  input: fieldsOption,
  attempts: numeric,
  timeout: numeric,
  every: textual,
  timeZone: textual,
  handle: code,
} satisfies OptionTable<JobDefinition>;

const outside = (name: string, value: number | undefined, most: number): string | undefined =>
  value === undefined || (Number.isInteger(value) && value >= 1 && value <= most)
    ? undefined
    : `${name} must be a whole number from 1 to ${most}, not ${value}`;

const scheduleFlaw = ({ input = {}, every, timeZone }: JobDefinition): string | undefined => {
  if (every === undefined) return timeZone === undefined ? undefined : 'timeZone goes with every';
  const needed = Object.entries(input).find(
    ([, { options: given }]) => given.required === true && given.default === undefined,
  )?.[0];
  if (needed !== undefined)
    return `a job with every gets no values, so its field ${needed} cannot be required without a default`;
  try {
    parseSchedule(every, timeZone);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
};

/** @throws DefinitionError */
const check = (definition: JobDefinition): void => {
  const flaw =
    optionsFlaw(definition, options) ??
    (definition.handle === undefined ? 'it has no handle' : undefined) ??
    outside('attempts', definition.attempts, 1_000) ??
    outside('timeout', definition.timeout, maxTimeoutSeconds);
  if (flaw !== undefined) throw new DefinitionError('job', flaw);
  for (const [name, each] of Object.entries(definition.input ?? {})) checkField('job', name, each);
  const wrong = scheduleFlaw(definition);
  if (wrong !== undefined) throw new DefinitionError('job', wrong);
};

const made = new WeakSet<object>();

/**
 * Defines a job. A file in `jobs/` that exports one by default needs no registration; the job has the file's name.
 * @throws DefinitionError for an unknown option or a value of the wrong type
 */
export const defineJob = <const Fields extends InputFields = Record<never, never>>(
  definition: JobDefinition<Fields>,
): JobDefinition<Fields> & Job<SentInput<Fields>> => {
  check(definition as JobDefinition);
  const job = Object.freeze({ ...definition });
  made.add(job);
  return job;
};

export const isJobDefinition = (value: unknown): value is JobDefinition =>
  typeof value === 'object' && value !== null && made.has(value);

/** Jobs by name. */
export type Jobs = ReadonlyMap<string, JobDefinition>;

const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;

/** @throws DefinitionError for an invalid name, and for a value that `defineJob` did not create */
export const collectJobs = (jobs: Readonly<Record<string, JobDefinition>>): Jobs => {
  for (const [name, job] of Object.entries(jobs)) {
    if (!namePattern.test(name))
      throw new DefinitionError(`job ${name}`, 'a name is a letter and up to 62 letters, digits, _ and -');
    if (!isJobDefinition(job)) throw new DefinitionError(`job ${name}`, 'it was not made by defineJob');
  }
  return new Map(Object.entries(jobs));
};
