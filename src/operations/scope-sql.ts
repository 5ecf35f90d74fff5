import type { RawBuilder } from 'kysely';
import { type Database, knownCaller, type Query } from '../database/database.ts';
import { dialectOf } from '../database/registry.ts';
import { toQuery } from '../database/statement.ts';
import type { ScopeSql } from '../model/scope.ts';
import type { Acting } from './acting.ts';
import { assertOutside, type SharedTransaction } from './transaction.ts';

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
