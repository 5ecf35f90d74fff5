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
  /** Logs failures that happen after a commit; nothing is logged without one. */
  readonly logger?: Logger;
}

const absent = (): never => {
  throw new Error('this process answers no requests');
};

/** The parts of a service that serves no requests: no credentials, no secrets. */
export const composeOffline = ({
  config,
  application,
  database,
  clock = systemClock,
  logger = pino({ level: 'silent' }),
}: OfflineParts): Promise<Composed> =>
  compose({
    // A random secret that signs nothing; with it the service's own secret is neither read nor created.
    config: { ...config, jwtSecret: randomBytes(32).toString('hex') },
    application,
    clock,
    removalClock: clock,
    logger,
    database,
    // Never opened, so it is empty.
    vault: new Vault({
      file: config.credentialsFile,
      keyFile: config.credentialsKeyFile,
      key: undefined,
      production: config.production,
      onError: absent,
    }),
    ready: absent,
    stopping: neverStopping,
  });
