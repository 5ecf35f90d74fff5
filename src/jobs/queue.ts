import { parseTimestamp, toTimestamp } from '../kernel/clock.ts';
import { type JsonObject, toJson } from '../kernel/json.ts';
import type { Locale } from '../kernel/messages/catalogue.ts';
import { anything, nearestHint, type OptionTable, known as onlyKnown } from '../kernel/options.ts';
import { Problem } from '../kernel/problem.ts';
import { inputField } from '../model/input-field.ts';
import type { InputFields, JobOptions } from '../model/job.ts';
import { labelOf } from '../model/names.ts';
import { compileValidator, type Validated } from '../model/validate.ts';
import type { JobPort } from '../operations/job-port.ts';
import type { Outbox } from '../service/jobs/outbox.ts';
import type { JobDefinition, Jobs } from './define-job.ts';

/** Returns a validator of a job's values, with the field types and rules of a created record. */
export const readInput = (input: InputFields, locale: Locale): ((values: JsonObject) => Validated) => {
  const fields = new Map(
    Object.entries(input).map(([name, definition]) => [
      name,
      inputField(name, definition, definition.options.label ?? labelOf(name)),
    ]),
  );
  const validate = compileValidator({ label: '', fields }, locale);
  return (values) => validate(values, 'create', fields);
};

/** A job of the application with its compiled validator. */
export interface DefinedJob {
  readonly name: string;
  readonly definition: JobDefinition;
  readonly read: (values: JsonObject) => Validated;
}

export type DefinedJobs = ReadonlyMap<string, DefinedJob>;

export const compileJobs = (jobs: Jobs, locale: Locale): DefinedJobs =>
  new Map(
    [...jobs].map(([name, definition]) => [
      name,
      { name, definition, read: readInput(definition.input ?? {}, locale) },
    ]),
  );

/** Maximum length of a key in characters. */
const maxKeyLength = 255;

/** @throws TypeError */
const timeOf = (at: Date | string | undefined): string | undefined => {
  if (at === undefined) return undefined;
  const milliseconds = typeof at === 'string' ? parseTimestamp(at) : at.getTime();
  // A timestamp has a year of four digits.
  if (
    milliseconds === undefined ||
    !(milliseconds >= -62_135_596_800_000 && milliseconds <= 253_402_300_799_999)
  )
    throw new TypeError(`at must be a Date or an ISO 8601 time, not ${String(at).slice(0, 40)}`);
  return toTimestamp(milliseconds);
};

/** @throws TypeError */
const keyOf = (key: string | undefined): string | null => {
  if (key === undefined) return null;
  if (
    typeof key !== 'string' ||
    key === '' ||
    key.length > maxKeyLength ||
    !key.isWellFormed() ||
    key.includes('\0')
  )
    throw new TypeError(`key must be a text of 1 to ${maxKeyLength} characters`);
  return key;
};

/** The options are validated where they are used. */
const options = { at: anything, key: anything } satisfies OptionTable<JobOptions>;

/** Stores jobs, and has them run as soon as they are durable. @param wake called after each commit of a job */
export const createJobPort = (defined: DefinedJobs, outbox: Outbox, wake: () => void): JobPort => {
  const byDefinition = new Map<unknown, DefinedJob>(
    [...defined.values()].map((job) => [job.definition, job]),
  );

  const find = (job: unknown): DefinedJob => {
    const found = typeof job === 'string' ? defined.get(job) : byDefinition.get(job);
    if (found !== undefined) return found;
    if (typeof job === 'string') throw new Error(`There is no job ${job}${nearestHint(job, defined.keys())}`);
    throw new Error('The job is not exported by a file of jobs/');
  };

  return {
    add: async (job, given, how, shared) => {
      const { at, key } = onlyKnown('jobs.add', how, options);
      const { name, read } = find(job);
      const { values, errors } = read(toJson(given) as JsonObject);
      if (errors.length > 0) throw new Problem('invalid_record', { errors });
      const added = { name, input: values, key: keyOf(key), at: timeOf(at) };
      const id = await outbox.add(added, shared?.transaction);
      if (shared === undefined) wake();
      else shared.onCommit(wake);
      return id;
    },
  };
};
