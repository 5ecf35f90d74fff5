import type { RawBuilder } from 'kysely';
import { type Database, knownCaller, type Query } from '../database/database.ts';
import { dialectOf } from '../database/registry.ts';
import { toQuery } from '../database/statement.ts';
import { nearestHint } from '../kernel/options.ts';
import type { ResourceModel } from '../model/resource.ts';
import type { FindRecords, Scope, ScopeSql } from '../model/scope.ts';
import type { JobPort } from './job-port.ts';
import { ScopeRecords } from './scope-records.ts';
import type { ServedResource } from './served-resource.ts';
import {
  type Acting,
  assertOutside,
  hookPrincipal,
  type SharedTransaction,
  together,
} from './transaction.ts';

/** A statement that changes rows and may answer them (RETURNING). */
const changesRows = ({ sql }: Query): boolean => /^\s*(?:insert|update|delete|replace|merge)\b/i.test(sql);

/** A statement may have taken away whatever was there. */
const noteWrite = (shared: SharedTransaction): void => {
  shared.writes += 1;
  shared.known.clear();
};

/**
 * The application's own statements: in the transaction where there is one, and otherwise alone. Nobody knows how long
 * such a query takes, so that it runs where others do not wait for it.
 */
export const scopeSql = (database: Database, { shared, by }: Acting): ScopeSql => {
  const { builder } = dialectOf(database);
  const compiled = (statement: RawBuilder<unknown>): Query =>
    toQuery({ compile: () => statement.compile(builder) });

  const alone = async <Row>(query: Query): Promise<Row[]> => {
    assertOutside();
    if (changesRows(query)) return database.execute<Row>(query);
    return database.scan<Row>(query, await knownCaller(by));
  };

  const all = async <Row>(statement: RawBuilder<Row>): Promise<Row[]> => {
    const query = compiled(statement);
    if (shared === undefined) return alone<Row>(query);
    shared.assertGood();
    if (changesRows(query)) noteWrite(shared);
    return shared.transaction.all<Row>(query);
  };

  return {
    all,
    get: async (statement) => (await all(statement))[0],
    run: async (statement) => {
      const query = compiled(statement);
      if (shared === undefined) {
        assertOutside();
        return database.write((transaction) => transaction.run(query));
      }
      shared.assertGood();
      noteWrite(shared);
      return shared.transaction.run(query);
    },
  };
};

/** What scopes are made with, once for the process. */
export interface ScopeParts {
  readonly database: Database;
  readonly resources: ReadonlyMap<string, ServedResource>;
  readonly jobs: JobPort;
  /** Milliseconds that a transaction may take. */
  readonly transactionLimit: number;
}

/** Makes scopes: the one way by which code of an application reaches its data. */
export const createScopes = (parts: ScopeParts): ((acting: Acting) => Scope) => {
  const { database, resources, jobs, transactionLimit } = parts;

  const resourceOf = (model: ResourceModel | string): ServedResource => {
    const name = typeof model === 'string' ? model : model.name;
    const resource = resources.get(name);
    if (resource !== undefined) return resource;
    if (name === 'User')
      throw new Error(
        'records("User"): users are the service’s own. Include the relation of the field that refers to them, or read the table users with scope.sql',
      );
    throw new Error(`there is no model "${name}"${nearestHint(name, resources.keys())}`);
  };

  const transaction =
    (acting: Acting): Scope['transaction'] =>
    async (work) => {
      if (acting.shared !== undefined) {
        acting.shared.assertGood();
        return work(scopeOf(acting));
      }
      assertOutside();
      return together(database, async (shared) => work(scopeOf({ ...acting, shared })), {
        limit: transactionLimit,
      });
    };

  const asSystem =
    (acting: Acting): Scope['asSystem'] =>
    (reason) => {
      if (typeof reason !== 'string' || reason.trim() === '')
        throw new TypeError('asSystem takes the reason as a text: it stands in the audit log');
      // The types of the answers differ, as every field is among them; the code does not.
      return scopeOf({ ...acting, reason: reason.slice(0, 500) }) as Scope<'all'>;
    };

  const scopeOf = (acting: Acting): Scope => ({
    principal: hookPrincipal(acting),
    records: ((model: ResourceModel | string, ...others: readonly ResourceModel[]) => {
      for (const other of others) resourceOf(other);
      return new ScopeRecords(resourceOf(model), acting);
    }) as FindRecords,
    transaction: transaction(acting),
    asSystem: asSystem(acting),
    sql: scopeSql(database, acting),
    jobs: {
      add: (job, values, options = {}) => {
        if (acting.shared === undefined) assertOutside();
        acting.shared?.assertGood();
        return jobs.add(job, values ?? {}, options, acting.shared);
      },
    },
  });

  return scopeOf;
};
