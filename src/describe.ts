import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { Application } from './application.ts';
import { allEndpoints, type Composed, compose, documentationOf } from './compose.ts';
import type { Config } from './config.ts';
import type { Endpoint } from './http/endpoint.ts';
import { systemClock } from './kernel/clock.ts';
import type { JsonObject } from './kernel/json.ts';
import type { Locale } from './kernel/messages/catalogue.ts';
import { neverStopping } from './kernel/stopping.ts';
import type { Database } from './store/database.ts';
import { defaultDialect } from './store/dialects/name.ts';
import { Vault } from './vault/vault.ts';

const absent = (): never => {
  throw new Error('there is no database here: endpoints are only described');
};

/** Stands where a database would: statements are compiled for it, none is ever run. */
const noDatabase: Database = {
  dialect: defaultDialect,
  all: absent,
  get: absent,
  scan: absent,
  stream: absent,
  execute: absent,
  write: absent,
  ping: absent,
  interrupt: () => {},
  close: async () => {},
};

/** The parts of a server that never runs: without database, credentials or secrets. */
const composeDry = (application: Application, config: Config): Promise<Composed> =>
  compose({
    // Nothing is signed with it: it keeps the server's own secret from being read or made.
    config: { ...config, jwtSecret: randomBytes(32).toString('hex') },
    application,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
    database: noDatabase,
    // Never opened, so it holds nothing.
    vault: new Vault({
      file: config.credentialsFile,
      keyFile: config.credentialsKeyFile,
      key: undefined,
      production: config.production,
      onError: absent,
    }),
    ready: absent,
    stopping: neverStopping,
    usage: {
      keyUsed: absent,
      applicationUsed: absent,
      sessionUsed: absent,
      flush: async () => {},
      stop: async () => {},
    },
  });

/** The API description of an application, as `GET /api-docs/openapi.json` of its server answers it where that is on. */
export const describeApplication = async (
  application: Application,
  config: Config,
  locale: Locale = config.locale,
): Promise<JsonObject> => {
  const composed = await composeDry(application, config);
  const { describe } = await documentationOf(composed, application, config);
  return describe(locale, config.apiDocs);
};

/** Every endpoint that the application's server would answer, to be read, not run. */
export const endpointsOf = async (application: Application, config: Config): Promise<readonly Endpoint[]> =>
  allEndpoints(await composeDry(application, config), application, config);
