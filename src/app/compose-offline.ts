import { randomBytes } from 'node:crypto';
import { type Logger, pino } from 'pino';
import type { Database } from '../database/database.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { neverStopping } from '../kernel/stopping.ts';
import { Vault } from '../vault/vault.ts';
import type { Application } from './application.ts';
import { type Composed, compose } from './compose.ts';
import type { Config } from './config.ts';

export interface OfflineParts {
  readonly config: Config;
  readonly application: Application;
  readonly database: Database;
  readonly clock?: Clock;
  /** Told of what goes wrong behind a commit; nobody unless given. */
  readonly logger?: Logger;
}

const absent = (): never => {
  throw new Error('this process answers no requests');
};

/** The parts of a service that answers no requests: without credentials and secrets. */
export const composeOffline = ({
  config,
  application,
  database,
  clock = systemClock,
  logger = pino({ level: 'silent' }),
}: OfflineParts): Promise<Composed> =>
  compose({
    // Nothing is signed with it: it keeps the service's own secret from being read or made.
    config: { ...config, jwtSecret: randomBytes(32).toString('hex') },
    application,
    clock,
    removalClock: clock,
    logger,
    database,
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
