/**
 * Makes scopes: the only access of an application's code to records, SQL, jobs and transactions, for one principal.
 */

import type { RawBuilder } from 'kysely';
import { type Database, type Query, resolveCaller } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import type { Clock } from '../../kernel/clock.ts';
import { nearestHint } from '../../kernel/options.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { FindRecords, Scope, ScopeSql } from '../../model/scope.ts';
import type { JobPort } from './job-port.ts';
import type { MailPort } from './mail-port.ts';
import { ScopeRecords } from './scope-records.ts';
import type { ServedResource } from './served-resource.ts';
import {
  type Acting,
  assertInTime,
  assertOutside,
  hookPrincipal,
  runInTransaction,
  type SharedTransaction,
  transactionOf,
} from './transaction.ts';

/** True if a statement changes rows, even if it returns them (RETURNING). */
const changesRows = ({ sql }: Query): boolean => /^\s*(?:insert|update|delete|replace|merge)\b/i.test(sql);

/** Counts a write by SQL, which may have deleted any record. */
const noteWrite = (shared: SharedTransaction): void => {
  shared.writes += 1;
  shared.present.clear();
};

/**
 * The application's own statements, in the scope's transaction if there is one. A single query may take any time, so it
 * runs where other requests do not wait for it.
 */
export const scopeSql = (database: Database, { shared, by, limit }: Acting): ScopeSql => {
  const { builder } = database.dialect;
  const compiled = (statement: RawBuilder<unknown>): Query =>
    toQuery({ compile: () => statement.compile(builder) });

  const alone = async <Row>(query: Query): Promise<Row[]> => {
    assertOutside();
    if (changesRows(query)) return database.execute<Row>(query);
    return database.scan<Row>(query, await resolveCaller(by));
  };

  const all = async <Row>(statement: RawBuilder<Row>): Promise<Row[]> => {
    assertInTime({ limit });
    const query = compiled(statement);
    if (shared === undefined) return alone<Row>(query);
    shared.assertNotRefused();
    if (changesRows(query)) noteWrite(shared);
    return shared.transaction.all<Row>(query);
  };

  return {
    all,
    get: async (statement) => (await all(statement))[0],
    run: async (statement) => {
      assertInTime({ limit });
      const query = compiled(statement);
      if (shared === undefined) {
        assertOutside();
        return database.write((transaction) => transaction.run(query));
      }
      shared.assertNotRefused();
      noteWrite(shared);
      return shared.transaction.run(query);
    },
  };
};

/** @throws Error in a scope that acts for a caller, unless its endpoint may send mail */
const assertMaySend = ({ reason, sendsMail = false }: Acting): void => {
  if (reason !== undefined || sendsMail) return;
  throw new Error(
    'mail.send: this scope acts for a caller: set mail: true on the endpoint, or use asSystem(reason).mail',
  );
};

/** Dependencies of scopes, made once for the process. */
export interface ScopeParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly resources: ReadonlyMap<string, ServedResource>;
  readonly jobs: JobPort;
  readonly mail: MailPort;
  /** The users of the service: what `records('User')` returns. */
  readonly accounts: (acting: Acting) => object;
  /** Milliseconds that a transaction may take. */
  readonly transactionLimit: number;
}

/** Makes scopes: the only access of an application's code to its data. */
export const createScopes = (parts: ScopeParts): ((acting: Acting) => Scope) => {
  const { database, clock, resources, jobs, mail, accounts, transactionLimit } = parts;

  const resourceOf = (model: ResourceModel | string): ServedResource => {
    const name = typeof model === 'string' ? model : model.name;
    const resource = resources.get(name);
    if (resource !== undefined) return resource;
    throw new Error(`there is no model "${name}"${nearestHint(name, resources.keys())}`);
  };

  const transaction =
    (acting: Acting): Scope['transaction'] =>
    async (work) => {
      assertInTime(acting);
      if (acting.shared !== undefined) {
        acting.shared.assertNotRefused();
        return work(scopeOf(acting));
      }
      assertOutside();
      return runInTransaction(database, async (shared) => work(scopeOf({ ...acting, shared })), {
        limit: transactionLimit,
      });
    };

  const asSystem =
    (acting: Acting): Scope['asSystem'] =>
    (reason) => {
      if (typeof reason !== 'string' || reason.trim() === '')
        throw new TypeError('asSystem takes the reason as a text, for the audit log');
      // Only the type of the records differs: they have every field.
      return scopeOf({ ...acting, reason: reason.slice(0, 500) }) as Scope<'all'>;
    };

  const scopeOf = (acting: Acting): Scope => ({
    principal: hookPrincipal(acting),
    records: ((model: ResourceModel | string, ...others: readonly ResourceModel[]) => {
      if (model === 'User') return accounts(acting);
      for (const other of others) resourceOf(other);
      return new ScopeRecords(resourceOf(model), acting);
    }) as FindRecords,
    transaction: transaction(acting),
    asSystem: asSystem(acting),
    sql: scopeSql(database, acting),
    dialect: database.dialect.name,
    now: () => new Date(clock()),
    jobs: {
      add: (job, values, options = {}) => {
        transactionOf(acting);
        return jobs.add(job, values ?? {}, options, acting.shared);
      },
    },
    mail: {
      send: async (message) => {
        assertMaySend(acting);
        transactionOf(acting);
        await mail.send(message, acting.shared);
      },
    },
  });

  return scopeOf;
};
