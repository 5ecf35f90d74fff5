/** `createRecords`: the statements that insert, update, delete and lock single records of a model. */

import type { Database } from '../database/database.ts';
import type { Source } from '../database/source.ts';
import type { Models } from '../model/models.ts';
import type { ResourceModel } from '../model/resource.ts';
import { Parking } from './parking.ts';
import { RecordDisclosure } from './writes/disclosure.ts';
import { RecordExchanges } from './writes/exchanges.ts';
import { GrantChecks } from './writes/grant-checks.ts';
import { RecordInserts } from './writes/inserts.ts';
import { RecordLocks } from './writes/locks.ts';
import { RecordTable } from './writes/record-table.ts';
import { RecordRemovals } from './writes/removals.ts';
import { RecordUpdates } from './writes/updates.ts';
import { WriteStates } from './writes/write-states.ts';

export type { Candidate, Collision, Columns, MakeWay } from './collisions.ts';
export type { SavedRecord } from './writes/record-table.ts';
export type { CurrentRecord, RecordStanding, RowLock } from './writes/write-states.ts';

/**
 * Writes of a resource's table, alone or in a transaction, and the reads that they need. Each takes a grant and stays
 * within its rows. A write is one statement, which checks the version as well and returns the record as the caller may
 * read it.
 */
export interface RecordStore
  extends Pick<RecordInserts, 'insert'>,
    Pick<RecordUpdates, 'update' | 'complete'>,
    Pick<RecordRemovals, 'remove'>,
    Pick<RecordLocks, 'lock'>,
    Pick<WriteStates, 'current' | 'standing' | 'identify'>,
    Pick<GrantChecks, 'admits' | 'settled'>,
    Pick<RecordExchanges, 'collisions' | 'park' | 'isParked' | 'withOriginals'>,
    Pick<RecordDisclosure, 'hidden' | 'joined'> {
  readonly source: Source;
}

export const createRecords = (database: Database, model: ResourceModel, models: Models): RecordStore => {
  const table = new RecordTable(database, model, models);
  const parking = new Parking(model, models);
  const states = new WriteStates(table, parking);
  const updates = new RecordUpdates(table, parking);
  const checks = new GrantChecks(table);
  const exchanges = new RecordExchanges(table, models, parking, states);
  const disclosure = new RecordDisclosure(table);
  return {
    source: table.source,
    insert: new RecordInserts(table).insert,
    update: updates.update,
    complete: updates.complete,
    remove: new RecordRemovals(table, parking).remove,
    lock: new RecordLocks(table).lock,
    current: states.current,
    standing: states.standing,
    identify: states.identify,
    admits: checks.admits,
    settled: checks.settled,
    collisions: exchanges.collisions,
    park: exchanges.park,
    isParked: exchanges.isParked,
    withOriginals: exchanges.withOriginals,
    hidden: disclosure.hidden,
    joined: disclosure.joined,
  };
};
