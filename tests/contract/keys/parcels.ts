import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { member } from '../../../src/model/row-rule.ts';

/** Depots and their parcels, whose ids are UUIDs, beside models with integers that refer to them and are referred to. */

const carrierFields = { name: field.string({ required: true, max: 40 }) };
const depotFields = { name: field.string({ required: true, max: 40 }) };
const seatFields = {
  depot: field.reference('Depot', { key: 'uuid', required: true, onDelete: 'cascade' }),
  user_id: field.owner({ shows: ['name'] }),
};
const parcelFields = {
  label: field.string({ required: true, max: 40, unique: true }),
  depot: field.reference('Depot', { key: 'uuid', required: true }),
  carrier: field.reference('Carrier'),
  returns: field.reference('Parcel', { key: 'uuid' }),
  weight: field.integer(),
};
const stampFields = {
  parcel: field.reference('Parcel', { key: 'uuid', required: true, onDelete: 'cascade' }),
  text: field.string({ required: true, max: 40 }),
};
const diaryFields = { text: field.string({ max: 40 }), user_id: field.owner() };

const isMember = member('id', { of: 'Seat', on: 'depot_id' });
const atDepot = member('depot_id', { of: 'Seat' });

export const carrier = defineResource('Carrier', { fields: carrierFields, auth: ['jwt', 'api_key'] });
export const depot = defineResource('Depot', {
  key: 'uuid',
  fields: depotFields,
  isolation: isMember,
  manage: isMember,
  trash: true,
  auth: ['jwt', 'api_key'],
});
export const seat = defineResource('Seat', { fields: seatFields });
export const parcel = defineResource('Parcel', {
  key: 'uuid',
  fields: parcelFields,
  isolation: atDepot,
  auth: ['jwt', 'api_key'],
  history: true,
  events: true,
  trash: true,
  relations: { stamps: many('Stamp', { by: 'parcel', write: true }) },
});
export const stamp = defineResource('Stamp', { fields: stampFields });
/** Records of one person, with ids that are texts. */
export const diary = defineResource('Diary', {
  key: 'uuid',
  plural: 'diaries',
  fields: diaryFields,
  ownership: true,
  isolation: true,
  history: true,
  events: true,
  trash: true,
});

export const resources = [carrier, depot, seat, parcel, stamp, diary];

export const migrations: Migrations = {
  '0001_parcels': {
    up: async (db, dialect) => {
      const key = 'uuid';
      const references = { depot: 'depots', carrier: 'carriers', returns: 'parcels', parcel: 'parcels' };
      await createTable(db, dialect, 'carriers', { fields: carrierFields });
      await createTable(db, dialect, 'depots', { key, fields: depotFields });
      await createTable(db, dialect, 'seats', {
        fields: seatFields,
        references,
        indexes: [['user_id', 'depot_id']],
      });
      await createTable(db, dialect, 'parcels', { key, fields: parcelFields, references });
      await createTable(db, dialect, 'stamps', { fields: stampFields, references });
      await createTable(db, dialect, 'diaries', { key, fields: diaryFields });
    },
  },
};
