/** The types of jobs: a job's definition, its input by fields, and the queue that stores it. */

import type { FieldDefinition, InputOf, ValueOf } from '../fields/field.ts';
import type { JsonObject } from '../kernel/json.ts';

/** Fields of an input, by name, of a body or a job. */
export type InputFields = Readonly<Record<string, FieldDefinition>>;

/** Names of the fields that a checked input always has: required ones, and those with a default. */
type Certain<Fields extends InputFields> = {
  [Name in keyof Fields & string]: Fields[Name]['options'] extends
    | { readonly required: true }
    | { readonly default: NonNullable<unknown> }
    ? Name
    : never;
}[keyof Fields & string];

/** Names of the fields that a sender cannot omit. */
type Needed<Fields extends InputFields> = {
  [Name in keyof Fields & string]: Fields[Name]['options'] extends { readonly required: true }
    ? Fields[Name]['options'] extends { readonly default: NonNullable<unknown> }
      ? never
      : Name
    : never;
}[keyof Fields & string];

/** Makes an intersection readable in an editor. */
type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** An input as it is sent. @public */
export type SentInput<Fields extends InputFields> = Flat<
  { readonly [Name in Needed<Fields>]: InputOf<Fields[Name]> } & {
    readonly [Name in Exclude<keyof Fields & string, Needed<Fields>>]?: InputOf<Fields[Name]>;
  }
>;

/** An input after its check, in the API's JSON form: a required field, or one with a default, is never undefined. */
export type CheckedInput<Fields extends InputFields> = Flat<
  { readonly [Name in Certain<Fields>]: ValueOf<Fields[Name]> } & {
    readonly [Name in Exclude<keyof Fields & string, Certain<Fields>>]?: ValueOf<Fields[Name]>;
  }
>;

declare const jobInput: unique symbol;

/** A job as a file in `jobs/` exports it: the argument of `jobs.add`. Its type determines the type of its values. */
export interface Job<Values extends object = JsonObject> {
  readonly [jobInput]?: Values;
}

export interface JobOptions {
  /** The earliest time at which it runs: a Date, or an ISO 8601 text with an offset. Default: now. */
  readonly at?: Date | string;
  /**
   * While a job with this name and key waits for its (first or next) run, no other one is stored: `add` returns the
   * id of the one that waits.
   */
  readonly key?: string;
}

/** Stores jobs. In a transaction a job is stored with it: it runs if the transaction is committed, and only then. */
export interface JobQueue {
  /**
   * Returns the id of the job.
   * @throws Problem `invalid_record` where the values violate the rules of the job's input
   */
  add<Values extends object>(
    job: Job<Values> | string,
    values?: Values,
    options?: JobOptions,
  ): Promise<number>;
}
