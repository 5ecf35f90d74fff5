/** Composes a service that serves no requests: for commands, scripts and descriptions. */

import { randomBytes } from 'node:crypto';
import { type Logger, pino } from 'pino';
import type { Database } from '../database/database.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { neverStopping } from '../kernel/stopping.ts';
import { Vault } from '../vault/vault.ts';
import { type Application, inLanguages } from './application.ts';
import { type Composed, compose } from './compose.ts';
import type { Config } from './config.ts';

export interface OfflineParts {
  readonly config: Config;
  readonly application: Application;
  readonly database: Database;
  /** Finds the secret of the service, for what this process leaves to it. Default: there is none. */
  readonly secret?: () => Promise<string>;
  readonly clock?: Clock;
  /** Logs failures that happen after a commit; nothing is logged without one. */
  readonly logger?: Logger;
}

const absent = (): never => {
  throw new Error('this process answers no requests');
};

const noSecret = (): Promise<never> => Promise.reject(new Error('this process only describes'));

/**
 * The parts of a service that serves no requests and has no credentials. Without the secret of the service it works
 * with a random one, which signs and seals nothing.
 */
export const composeOffline = async ({
  config,
  application,
  database,
  secret = noSecret,
  clock = systemClock,
  logger = pino({ level: 'silent' }),
}: OfflineParts): Promise<Composed> => {
  const found = await secret().then(
    (jwtSecret) => ({ jwtSecret, secretUnknown: undefined }),
    (secretUnknown: unknown) => ({ jwtSecret: randomBytes(32).toString('hex'), secretUnknown }),
  );
  return compose({
    config: { ...config, jwtSecret: found.jwtSecret },
    application: inLanguages(application, config),
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
    secretUnknown: found.secretUnknown,
    ready: absent,
    stopping: neverStopping,
  });
};
