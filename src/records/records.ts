/** `createRecords`: the statements that insert, update, delete and lock single records of a model. */

import type { Database } from '../database/database.ts';
import type { Source } from '../database/source.ts';
import type { Models } from '../model/models.ts';
import type { ResourceModel } from '../model/resource.ts';
import { Collisions } from './collisions.ts';
import { Parking } from './parking.ts';
import { RecordDisclosure } from './writes/disclosure.ts';
import { GrantChecks } from './writes/grant-checks.ts';
import { RecordLocks } from './writes/locks.ts';
import { ParkedRecords } from './writes/parked-records.ts';
import { RecordTable, RecordWrites } from './writes/record-writes.ts';
import { WriteStates } from './writes/write-states.ts';

export type { Candidate, Collision, Columns, MakeWay } from './collisions.ts';
export type { SavedRecord } from './writes/record-writes.ts';
export type { CurrentRecord, RowLock, WriteState } from './writes/write-states.ts';

/**
 * Writes of a resource's table, alone or in a transaction, and the reads that they need. Each takes a grant and stays
 * within its rows. A write is one statement, which checks the version as well and returns the record as the caller may
 * read it.
 */
export interface RecordStore
  extends Pick<RecordWrites, 'insert' | 'update' | 'complete' | 'remove'>,
    Pick<RecordLocks, 'lock'>,
    Pick<WriteStates, 'current' | 'writeState' | 'identify'>,
    Pick<GrantChecks, 'admits' | 'settled'>,
    Pick<ParkedRecords, 'park' | 'isParked' | 'withOriginals'>,
    Pick<RecordDisclosure, 'hidden' | 'joined'> {
  readonly source: Source;
  readonly collisions: Collisions['find'];
}

export const createRecords = (database: Database, model: ResourceModel, models: Models): RecordStore => {
  const table = new RecordTable(database, model, models);
  const parking = new Parking(model, models);
  const states = new WriteStates(table, parking);
  const writes = new RecordWrites(table, parking);
  const checks = new GrantChecks(table);
  const parked = new ParkedRecords(table, parking, states);
  const disclosure = new RecordDisclosure(table);
  return {
    source: table.source,
    insert: writes.insert,
    update: writes.update,
    complete: writes.complete,
    remove: writes.remove,
    lock: new RecordLocks(table).lock,
    current: states.current,
    writeState: states.writeState,
    identify: states.identify,
    admits: checks.admits,
    settled: checks.settled,
    collisions: new Collisions(database, model, models, parking).find,
    park: parked.park,
    isParked: parked.isParked,
    withOriginals: parked.withOriginals,
    hidden: disclosure.hidden,
    joined: disclosure.joined,
  };
};
