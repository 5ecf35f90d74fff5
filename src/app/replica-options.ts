import type { Logger } from 'pino';
import type { ReplicaOptions } from '../database/target.ts';
import { decisiveTables } from '../records/rows/decisive-tables.ts';
import type { Application } from './application.ts';
import type { Config } from './config.ts';

/** The replica that the service reads from; undefined where none is configured. */
export const replicaOf = (
  { databaseReadUrl: url }: Config,
  { models }: Application,
  logger: Logger,
): ReplicaOptions | undefined =>
  url === undefined
    ? undefined
    : { url, decisive: decisiveTables(models), report: (_state, sentence) => logger.warn(sentence) };
