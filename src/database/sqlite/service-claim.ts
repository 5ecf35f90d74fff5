import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Claimant } from '../database.ts';
import { isBusy } from './errors.ts';

/** Milliseconds that the moment of another process, which looks whether it is alone, is waited for. */
const lockTimeoutMs = 500;

const makePrivately = (path: string): void => {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
};

export const claimPath = (databasePath: string): string => `${databasePath}-service`;

/**
 * Says that a service runs on a database file, by a lock of the operating system on an empty file beside it: shared by
 * all services, and gone with its process however that ends.
 */
export class ServiceClaim {
  readonly #lock: DatabaseSync;
  /** True if no other service held a claim when this one was made; a process that joins its service does not look. */
  readonly alone: boolean;

  constructor(databasePath: string, claimant: Claimant) {
    const path = claimPath(databasePath);
    makePrivately(path);
    this.#lock = new DatabaseSync(path, { timeout: lockTimeoutMs });
    try {
      this.alone = claimant === 'joins' || this.#isAlone();
      // A read transaction that stays open is a shared lock.
      this.#lock.exec('begin; select count(*) from sqlite_schema');
    } catch (error) {
      this.#lock.close();
      throw error;
    }
  }

  release(): void {
    this.#lock.close();
  }

  #isAlone(): boolean {
    try {
      this.#lock.exec('pragma busy_timeout = 0; begin exclusive; rollback');
      return true;
    } catch (error) {
      if (!isBusy(error)) throw error;
      return false;
    } finally {
      this.#lock.exec(`pragma busy_timeout = ${lockTimeoutMs}`);
    }
  }
}
