/**
 * Figures of metrics that are read from the tables: jobs by state, deliveries, webhooks, events and the last backup.
 */

import type { Figure, FigureSample } from '../kernel/figure.ts';
import type { Database } from './database.ts';
import type { Dialect } from './dialect.ts';
import type { Query } from './query.ts';
import { timeText } from './source.ts';
import { type Fragment, identifier, join, literal, sql, statement, tableName } from './statement.ts';

/** Most rows that are counted: a larger number tells no more, and an index counts these in a few milliseconds. */
export const mostCounted = 10_000;

/** Most webhooks with figures of their own: those with the oldest deliveries. */
export const webhooksListed = 100;

const jobs = tableName('gatewright_jobs');
const deliveries = tableName('gatewright_deliveries');
const webhooks = tableName('gatewright_webhooks');

const counted = (table: Fragment, condition: Fragment): Fragment =>
  sql`(select count(*) from (select 1 as one from ${table} where ${condition} limit ${literal(mostCounted)}) as c)`;

interface Row {
  readonly ready: number;
  readonly scheduled: number;
  readonly running: number;
  readonly failed: number;
  readonly oldest: string | null;
  readonly backup: string | null;
  readonly now: string;
  readonly waiting: number;
  readonly disabled: number;
  readonly last: number | null;
  readonly unnumbered: number;
}

const atMost = `counted up to ${mostCounted}`;

/** A figure of the database, which is the same on every instance. */
const shared = (name: string, help: string, samples: readonly FigureSample[]): Figure => ({
  type: 'gauge',
  name,
  across: 'max',
  samples,
  help: `${help} Covers the whole database, equal on every instance: aggregate by max, not by sum.`,
});

const one = (value: number): readonly FigureSample[] => [{ value }];

/** Seconds between two timestamps of the database. */
const secondsSince = (then: string, now: string): number =>
  Math.max(0, Date.parse(now) - Date.parse(then)) / 1000;

/** The last event that a webhook has looked at. */
interface WebhookCursor {
  readonly id: number;
  readonly cursor: number;
}

interface DisabledWebhook {
  readonly id: number;
  readonly disabled_at: string;
}

/** The one row of all counts and moments. */
const rowQuery = (dialect: Dialect): Query => {
  const { now } = dialect;
  const due = sql`available_at is not null and available_at <= ${now}`;
  const state = (of: string): Fragment => sql`state = ${literal(of)}`;
  const figures: Readonly<Record<keyof Row, Fragment>> = {
    ready: counted(jobs, due),
    scheduled: counted(jobs, sql`available_at is not null and available_at > ${now} and ${state('waiting')}`),
    running: counted(jobs, state('running')),
    failed: counted(jobs, state('failed')),
    oldest: sql`(select ${timeText(dialect, sql`available_at`)} from ${jobs} where ${due}
      order by available_at, id limit 1)`,
    backup: sql`(select ${timeText(dialect, sql`backed_up_at`)} from ${tableName('gatewright_database')})`,
    now: timeText(dialect, now),
    waiting: counted(deliveries, state('waiting')),
    disabled: counted(webhooks, sql`disabled = true`),
    last: sql`(select max(id) from ${tableName('gatewright_events')})`,
    unnumbered: counted(tableName('gatewright_event_inbox'), sql`1 = 1`),
  };
  const columns = Object.entries(figures).map(([column, value]) => sql`${value} as ${identifier(column)}`);
  return statement(dialect, () => sql`select ${join(columns)}`)({});
};

const placesQuery = (dialect: Dialect): Query =>
  statement(
    dialect,
    () => sql`select id, cursor from ${webhooks} where disabled = false
      order by cursor, id limit ${literal(webhooksListed)}`,
  )({});

const disabledQuery = (dialect: Dialect): Query =>
  statement(
    dialect,
    () => sql`select id, ${timeText(dialect, sql`disabled_at`)} as disabled_at from ${webhooks}
      where disabled = true and disabled_at is not null
      order by disabled_at desc, id limit ${literal(webhooksListed)}`,
  )({});

const figuresOfJobs = (row: Row): readonly Figure[] => {
  const states = (['ready', 'scheduled', 'running', 'failed'] as const).map((name) => ({
    labels: { state: name },
    value: Number(row[name]),
  }));
  const age = row.oldest === null ? 0 : secondsSince(row.oldest, row.now);
  return [
    shared('jobs', `Jobs by state, each ${atMost}.`, states),
    shared(
      'job_oldest_ready_seconds',
      'How long the job that is due longest has been due; 0 if none.',
      one(age),
    ),
  ];
};

const figuresOfWebhooks = (row: Row, disabled: readonly DisabledWebhook[]): readonly Figure[] => [
  shared('webhook_deliveries_waiting', `Deliveries to be sent, ${atMost}.`, one(Number(row.waiting))),
  shared('webhooks_disabled', 'Disabled webhooks.', one(Number(row.disabled))),
  shared(
    'webhook_disabled_seconds',
    `Time since a webhook was disabled, by webhook, for the ${webhooksListed} disabled last.`,
    disabled.map(({ id, disabled_at }) => ({
      labels: { webhook: String(id) },
      value: secondsSince(disabled_at, row.now),
    })),
  ),
];

const figureOfBackup = ({ backup, now }: Row): Figure =>
  shared(
    'backup_last_success_seconds',
    'Time since the last successful gatewright backup; absent before the first one.',
    backup === null ? [] : one(secondsSince(backup, now)),
  );

const figuresOfEvents = (row: Row, places: readonly WebhookCursor[]): readonly Figure[] => {
  const last = Number(row.last ?? 0);
  const lags = places.map(({ id, cursor }) => ({
    labels: { webhook: String(id) },
    value: Math.max(0, last - Number(cursor)),
  }));
  return [
    shared(
      'webhook_lag_events',
      `Events not yet processed per webhook (the ${webhooksListed} with the longest lag).`,
      lags,
    ),
    shared('event_last_number', 'Number of the last event of the log.', one(last)),
    shared('events_unnumbered', `Events waiting for their number, ${atMost}.`, one(Number(row.unnumbered))),
  ];
};

/** Prepares the figures: three statements, which indexes bound whatever the size of the tables. */
export const createStoredFigures = (database: Database) => {
  const { dialect } = database;
  const ofRow = rowQuery(dialect);
  const ofPlaces = placesQuery(dialect);
  const ofDisabled = disabledQuery(dialect);
  return async (): Promise<readonly Figure[]> => {
    const [row, places, disabled] = await Promise.all([
      database.get<Row>(ofRow),
      database.all<WebhookCursor>(ofPlaces),
      database.all<DisabledWebhook>(ofDisabled),
    ]);
    if (row === undefined) throw new Error('a select without a table answered no row');
    return [
      ...figuresOfJobs(row),
      ...figuresOfWebhooks(row, disabled),
      figureOfBackup(row),
      ...figuresOfEvents(row, places),
    ];
  };
};
