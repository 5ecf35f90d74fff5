/** The state of the service for the start page: readiness, size of the database, free disk space, last backup. */

import { statfs } from 'node:fs/promises';
import type { Database } from '../database/database.ts';
import { timeText } from '../database/source.ts';
import { sql, statement, tableName } from '../database/statement.ts';
import type { JsonSchema } from '../fields/field.ts';
import { objectSchema, valueSchemas } from '../http/schemas.ts';
import type { JsonObject } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';

const { integer, textOrNull, timeOrNull } = valueSchemas;

export const serviceStateSchema: JsonSchema = objectSchema('ServiceState', {
  problem: {
    type: ['integer', 'null'],
    description: 'code with which `GET /api/v1/health?ready` responds now; null if the service is ready',
  },
  database_bytes: {
    type: ['integer', 'null'],
    description: 'size of the database with its indexes; null where the database does not report it',
  },
  disk: {
    type: ['object', 'null'],
    description:
      'the disk of the database file, or of DATA_DIR if another server has the database, on the instance that responds; null where the system does not report it',
    properties: { bytes: integer, free_bytes: integer },
    required: ['bytes', 'free_bytes'],
  },
  backed_up_at: {
    ...timeOrNull,
    description:
      'end of the last successful `gatewright backup`; null if there was none, or if it stored no time',
  },
  application_version: {
    ...textOrNull,
    description: 'version in the package.json of the application; null without one',
  },
});

export interface ServiceStateParts {
  readonly database: Database;
  /** Resolves if a write would be accepted. @throws Problem `database_unavailable` */
  readonly ready: () => Promise<void>;
  /** Folder whose disk is reported: that of the database file, or DATA_DIR. */
  readonly diskFolder: string;
  readonly applicationVersion: string | undefined;
}

interface Disk {
  readonly bytes: number;
  readonly free_bytes: number;
}

/** Space on the disk of a folder, as far as this process may use it; null where the system does not report it. */
const diskOf = async (folder: string): Promise<Disk | null> => {
  try {
    const { bsize, blocks, bavail } = await statfs(folder);
    return { bytes: bsize * blocks, free_bytes: bsize * bavail };
  } catch {
    return null;
  }
};

/** The code of the reason why the service is not ready; null if it is. */
const problemOf = async (ready: () => Promise<void>): Promise<number | null> => {
  try {
    await ready();
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
};

/** Prepares the reading of the state. It reads files and one row, so it costs the same whatever the database holds. */
export const serviceStateReader = ({
  database,
  ready,
  diskFolder,
  applicationVersion,
}: ServiceStateParts): (() => Promise<JsonObject>) => {
  const { dialect } = database;
  const sizeQuery = statement(dialect, () => sql`select ${dialect.databaseBytes} as bytes`)({});
  const backupQuery = statement(
    dialect,
    () =>
      sql`select ${timeText(dialect, sql`backed_up_at`)} as backed_up_at from ${tableName('gatewright_database')}`,
  )({});

  /** Some engines lack the function. */
  const databaseBytes = async (): Promise<number | null> => {
    try {
      const row = await database.get<{ readonly bytes: number | string }>(sizeQuery);
      return row === undefined ? null : Number(row.bytes);
    } catch (error) {
      if (error instanceof Problem) throw error;
      return null;
    }
  };

  return async () => {
    const [problem, bytes, disk, backup] = await Promise.all([
      problemOf(ready),
      databaseBytes(),
      diskOf(diskFolder),
      database.get<{ readonly backed_up_at: string | null }>(backupQuery),
    ]);
    return {
      problem,
      database_bytes: bytes,
      disk: disk === null ? null : { ...disk },
      backed_up_at: backup?.backed_up_at ?? null,
      application_version: applicationVersion ?? null,
    };
  };
};
