/** Counts of requests by hour, method of authentication and status, and of failed sign-ins, for plots. */

import type { Principal } from '../../auth/principal.ts';
import { type AuthMethodName, authMethods, verifiedAs } from '../../auth/registry.ts';
import type { Query } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { Change, TableContext } from '../../ledger/context.ts';
import { CountedTable } from '../../ledger/counted-table.ts';

/** Counts are kept for one day more than the longest plot shows. */
const retentionMs = 31 * 24 * 3_600_000;

const slots = ['none', ...authMethods.map(({ name }) => name)] as const;

/** Methods with the same verification share a line in the plot. */
const slotOf = Object.fromEntries(
  authMethods.map(({ name }) => [name, slots.indexOf(verifiedAs(name))]),
) as Readonly<Record<AuthMethodName, number>>;

/** Counts are held by slot × `statuses` + status, which is at most 599. */
const statuses = 600;

/** `YYYY-MM-DDTHH`, UTC. */
export const hourOf = (time: number): string => toTimestamp(time).slice(0, 13);

export interface CountedRequests {
  /** `YYYY-MM-DDTHH` or `YYYY-MM-DD`, UTC. */
  readonly at: string;
  readonly authentication: string;
  readonly status: number;
  readonly requests: number;
}

export interface CountedFailures {
  readonly at: string;
  readonly failures: number;
}

/** A period in steps of hours (13 characters of a timestamp) or days (10). */
export interface Period {
  readonly step: 'hour' | 'day';
  /** First hour, `YYYY-MM-DDTHH`. */
  readonly from: string;
}

type OwnTables = Change['tables'];

/** Length of the timestamp that names a step of a plot. */
const lengthOf = (step: Period['step']): number => (step === 'hour' ? 13 : 10);

const requestsIn = (db: OwnTables, { step, from }: Period): Query =>
  toQuery(
    db
      .selectFrom('request_counts')
      .select((eb) => [
        eb.fn<string>('substr', ['hour', eb.lit(1), eb.lit(lengthOf(step))]).as('at'),
        'authentication',
        'status',
        eb.cast<number>(eb.fn.sum('requests'), 'bigint').as('requests'),
      ])
      .where('hour', '>=', from)
      .groupBy(['at', 'authentication', 'status'])
      .orderBy('at'),
  );

interface FailedSignIns {
  failures: number;
}

/** Failed sign-ins by the hour. */
class SignInFailures extends CountedTable<'sign_in_failures', FailedSignIns> {
  constructor(context: TableContext) {
    super(context, {
      name: 'failed sign-ins',
      table: 'sign_in_failures',
      key: ['hour'],
      sums: ['failures'],
      written: { hour: hourOf },
      removal: { column: 'hour', ageMs: retentionMs, text: hourOf },
      maxEntries: 1,
      rowsPerStatement: [1],
      merge: (pending, { failures }) => {
        pending.failures += failures;
        return pending;
      },
    });
  }

  count(): void {
    this.counter.add(0, { failures: 1 });
  }

  /** At most 31 days of hours. */
  of({ step, from }: Period): Promise<CountedFailures[]> {
    const inSteps = this.tables
      .selectFrom('sign_in_failures')
      .select((eb) => [
        eb.fn<string>('substr', ['hour', eb.lit(1), eb.lit(lengthOf(step))]).as('at'),
        eb.cast<number>(eb.fn.sum('failures'), 'bigint').as('failures'),
      ])
      .where('hour', '>=', from)
      .groupBy('at')
      .orderBy('at');
    return this.database.all(toQuery(inSteps));
  }
}

interface CountedResponses {
  readonly authentication: string;
  readonly status: number;
  requests: number;
}

/**
 * Counts of responses by authentication method and status, and of failed sign-ins. Counting does not read a clock: a
 * batch is added to the hour in which it is written, so that hours are exact to a few seconds.
 */
export class RequestCounts extends CountedTable<'request_counts', CountedResponses> {
  readonly #failures: SignInFailures;

  constructor(context: TableContext) {
    const failures = new SignInFailures(context);
    super(context, {
      name: 'request counts',
      table: 'request_counts',
      key: ['hour', 'authentication', 'status'],
      sums: ['requests'],
      written: { hour: hourOf },
      removal: { column: 'hour', ageMs: retentionMs, text: hourOf },
      maxEntries: slots.length * statuses,
      merge: (pending, { requests }) => {
        pending.requests += requests;
        return pending;
      },
      gather: () => failures.flush(),
    });
    this.#failures = failures;
  }

  readonly count = (principal: Principal, status: number): void => {
    const slot = principal.kind === 'nobody' ? 0 : slotOf[principal.method];
    this.counter.add(slot * statuses + status, {
      authentication: slots[slot] ?? 'none',
      status,
      requests: 1,
    });
  };

  readonly countFailedSignIn = (_principal: Principal, status: number): void => {
    if (status === 401 || status === 429) this.#failures.count();
  };

  readonly countSignIn = (principal: Principal, status: number): void => {
    this.count(principal, status);
    this.countFailedSignIn(principal, status);
  };

  override async sweep(now = this.clock()): Promise<void> {
    await super.sweep(now);
    await this.#failures.sweep(now);
  }

  /** At most 31 days of hours, methods and statuses; an index on the hour bounds the query. */
  requests(period: Period): Promise<CountedRequests[]> {
    return this.database.all(requestsIn(this.tables, period));
  }

  failures(period: Period): Promise<CountedFailures[]> {
    return this.#failures.of(period);
  }
}

export const createRequestCounts = (context: TableContext): RequestCounts => new RequestCounts(context);
