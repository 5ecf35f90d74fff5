import type { Clock } from '../kernel/clock.ts';
import { toTimestamp } from '../kernel/timestamp.ts';
import type { Database, Query } from './database.ts';

/** What stands in a source's SQL for the moment at which it runs, by the service's clock. */
export const serviceTime = '«service time»';

/**
 * A database for sources whose SQL asks for the time (`serviceTime`). It is bound when a statement runs: by the clock
 * that decides about credentials, so that a key which authentication refuses is never listed as active. A time passes
 * without a commit, so nothing that was computed at one stands for a later one: there is no `revision`.
 */
export const withServiceTime = (database: Database, clock: Clock): Database => {
  const sign = { sqlite: '?', postgres: '$' }[database.dialect];
  const at = (query: Query): Query => {
    const { sql, parameters } = query;
    if (!sql.includes(serviceTime)) return query;
    return {
      sql: sql.replaceAll(serviceTime, `${sign}${parameters.length + 1}`),
      parameters: [...parameters, toTimestamp(clock())],
    };
  };
  return {
    dialect: database.dialect,
    all: (query) => database.all(at(query)),
    get: (query) => database.get(at(query)),
    scan: (query) => database.scan(at(query)),
    stream: (query) => database.stream(at(query)),
    execute: (query) => database.execute(at(query)),
    write: (unit) => database.write(unit),
    ping: () => database.ping(),
    interrupt: () => database.interrupt(),
    close: () => database.close(),
  };
};
