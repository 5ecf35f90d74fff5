import type { Database, DialectName } from '../../database/database.ts';

/** The database as code of an application receives it: with the name of the dialect instead of the service's SQL. */
export type ApplicationDatabase = {
  readonly [Name in keyof Required<Database>]: Name extends 'dialect' ? DialectName : Database[Name];
};

/** The database for code of an application, made once at the start. */
export const applicationDatabase = (database: Database): ApplicationDatabase => ({
  dialect: database.dialect.name,
  all: (query) => database.all(query),
  get: (query) => database.get(query),
  scan: (query, by) => database.scan(query, by),
  stream: (query, by) => database.stream(query, by),
  execute: (query) => database.execute(query),
  write: (unit, options) => database.write(unit, options),
  renewSnapshot: database.renewSnapshot?.bind(database),
  discardRemains: database.discardRemains?.bind(database),
  revision: database.revision?.bind(database),
  listen: database.listen,
  tell: database.tell,
  pause: database.pause,
  replica: database.replica,
  figures: database.figures?.bind(database),
  ping: () => database.ping(),
  interrupt: () => database.interrupt(),
  close: () => database.close(),
});
