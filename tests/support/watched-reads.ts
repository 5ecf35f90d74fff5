import type { Caller, Database, Query } from '../../src/database/database.ts';

/** The database, with a look at each query of `get` and `scan` before it runs. */
export const watchReads = (database: Database, look: (query: Query) => void): Database => {
  const watched = {
    get: <Row>(query: Query) => {
      look(query);
      return database.get<Row>(query);
    },
    scan: <Row>(query: Query, by?: Caller) => {
      look(query);
      return database.scan<Row>(query, by);
    },
  };
  return new Proxy(database, {
    get(target, name) {
      if (name === 'get' || name === 'scan') return watched[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
};
