import type { Source } from '../../database/source.ts';
import { identifier, join, literal, sql } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import { always, column, source } from '../sources.ts';

/** What a job can be: its next run is to come, it runs, or its last run has failed. What is done is gone. */
export const jobStates = ['waiting', 'running', 'failed'] as const;

/**
 * The jobs as rows, for the list of administrators.
 * @param names those that files of this instance's application define
 */
export const jobSource = (names: readonly string[]): Source =>
  source(
    'jobs',
    identifier('gatewright_jobs'),
    [
      column('id', field.integer(always)),
      column('name', field.string(always)),
      column('defined', field.boolean(), {
        expression: () =>
          names.length === 0 ? sql`(1 = 0)` : sql`(t."name" in (${join(names.map(literal))}))`,
      }),
      column('state', field.enum(jobStates, always)),
      column('key', field.string()),
      column('values', field.json(), { expression: () => sql`t."input"`, comparable: false }),
      column('attempts', field.integer(always)),
      column('next_run_at', field.datetime(), {
        expression: () => sql`(case t."state" when 'waiting' then t."available_at" end)`,
      }),
      column('error', field.text()),
      column('created_at', field.datetime(always)),
      column('started_at', field.datetime()),
      column('failed_at', field.datetime()),
    ],
    ['name', 'state'],
  );

export const jobFields = Object.freeze([
  ...['id', 'name', 'defined', 'state', 'key', 'values', 'attempts', 'next_run_at', 'error'],
  ...['created_at', 'started_at', 'failed_at'],
] as const);
