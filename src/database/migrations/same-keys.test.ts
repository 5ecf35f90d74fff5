import { expect, it } from 'vitest';
import { type Databases, describeEachDatabase } from '../../../tests/support/databases.ts';
import { field } from '../../fields/define.ts';
import { defineResource } from '../../model/define-resource.ts';
import { collectModels } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { Database } from '../database.ts';
import { databaseTarget } from '../targets.ts';
import { alterTable, createTable, dropTable, renameTable } from './application-steps.ts';
import { coreSet } from './core.ts';
import { describeDifference } from './describe-difference.ts';
import { differences } from './differences.ts';
import type { Migration } from './migration.ts';
import { migrate } from './runner.ts';
import { readStored } from './stored.ts';

const query = (sql: string) => ({ sql, parameters: [] });

/** A database that takes one migration after the other. */
class Stage {
  readonly database: Database;
  readonly #url: string;
  readonly #steps: Record<string, Migration> = {};

  constructor(database: Database, url: string) {
    this.database = database;
    this.#url = url;
  }

  async apply(up: Migration['up']): Promise<void> {
    const name = String(Object.keys(this.#steps).length + 1).padStart(4, '0');
    await migrate(databaseTarget(this.#url), { ...this.#steps, [name]: { up } }, { tableName: 'migrations' });
    this.#steps[name] = { up };
  }

  rows(sql: string): Promise<Record<string, unknown>[]> {
    return this.database.write((transaction) => transaction.all(query(sql)));
  }

  insert(table: string, columns: string, values: string): Promise<Record<string, unknown>[]> {
    const times = `'2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z'`;
    return this.rows(
      `insert into ${table} (${columns}, created_at, updated_at) values (${values}, ${times}) returning id`,
    );
  }

  async differences(...resources: readonly ResourceModel[]): Promise<string[]> {
    const { dialect } = this.database;
    const stored = await readStored((sql) => this.database.all(query(sql)), dialect);
    return differences(collectModels(resources), stored).map(describeDifference);
  }

  async indexes(): Promise<readonly string[]> {
    const { dialect } = this.database;
    const { tables } = await readStored((sql) => this.database.all(query(sql)), dialect);
    return [...tables.values()].flatMap(({ indexes }) =>
      indexes.filter(({ columns }) => columns[0] === 'id').map(({ name }) => name),
    );
  }
}

const clinicFields = { name: field.string() };
const tenant = field.reference('Clinic', { required: true, onDelete: 'cascade' });
const doctorFields = {
  clinic: tenant,
  chief: field.reference('Doctor', { same: 'clinic' }),
};
const plain = field.reference('Doctor');
const bound = field.reference('Doctor', { same: 'clinic' });
const visitFields = { clinic: tenant, doctor: bound };
const clinic = defineResource('Clinic', { fields: clinicFields });
const doctor = defineResource('Doctor', { fields: doctorFields });
const visit = defineResource('Visit', { fields: visitFields });

const stage = async (databases: Databases, doctorOfVisit: typeof plain | typeof bound): Promise<Stage> => {
  const url = await databases.create();
  await migrate(databaseTarget(url), coreSet.migrations, coreSet);
  const made = new Stage(await databases.open(url), url);
  await made.apply(async (db, dialect) => {
    await createTable(db, dialect, 'clinics', { fields: clinicFields });
    await createTable(db, dialect, 'doctors', { fields: doctorFields });
    await createTable(db, dialect, 'visits', { fields: { ...visitFields, doctor: doctorOfVisit } });
  });
  await made.insert('clinics', 'name', `'east'`);
  await made.insert('clinics', 'name', `'west'`);
  await made.insert('doctors', 'clinic_id', '1');
  await made.insert('doctors', 'clinic_id', '2');
  return made;
};

const violated = expect.objectContaining({ name: 'ConstraintError', kind: 'foreign_key' });
const reason = (pattern: RegExp) =>
  expect.objectContaining({ cause: expect.objectContaining({ message: expect.stringMatching(pattern) }) });

describeEachDatabase('keys of references with same', (databases) => {
  it('come with the table, also for a reference to the table itself, and refuse every other row', async () => {
    const made = await stage(databases, bound);
    expect(await made.differences(clinic, doctor, visit)).toEqual([]);
    await made.insert('visits', 'clinic_id, doctor_id', '1, 1');
    await made.insert('visits', 'clinic_id, doctor_id', '1, null');
    for (const values of ['1, 2', '2, 1', '1, 9'])
      await expect(made.insert('visits', 'clinic_id, doctor_id', values)).rejects.toEqual(violated);
    await made.insert('doctors', 'clinic_id, chief_id', '1, 1');
    await expect(made.insert('doctors', 'clinic_id, chief_id', '2, 1')).rejects.toEqual(violated);
    await expect(made.rows('update visits set clinic_id = 2 where id = 1')).rejects.toEqual(violated);
    await expect(made.rows('update doctors set clinic_id = 2 where id = 1')).rejects.toEqual(violated);
    await made.rows('update doctors set clinic_id = 1 where id = 2');
  });

  it('set the reference alone to null with what it refers to', async () => {
    const made = await stage(databases, bound);
    await made.insert('visits', 'clinic_id, doctor_id', '1, 1');
    await made.rows('delete from doctors where id = 1');
    expect(await made.rows('select clinic_id, doctor_id, version from visits')).toEqual([
      { clinic_id: 1, doctor_id: null, version: 2 },
    ]);
  });

  it('keys of same are refused to rows that break them, and the error names these', async () => {
    const made = await stage(databases, plain);
    for (const values of ['1, 1', '1, 2', '2, 1', '1, null', '2, 2'])
      await made.insert('visits', 'clinic_id, doctor_id', values);
    expect(await made.differences(clinic, doctor, visit)).toEqual([
      'visits.doctor_id: has another same in the database, or has it only there, or only in the model',
    ]);
    const change = () =>
      made.apply((db, dialect) =>
        alterTable(db, dialect, 'visits', { change: { doctor: { from: plain, to: bound } } }),
      );
    await expect(change()).rejects.toEqual(
      reason(/visits\.doctor_id: 2 records refer to doctors of another clinic_id.*their ids are 2, 3\)/),
    );
    await made.rows('delete from visits where id in (2, 3)');
    await change();
    expect(await made.differences(clinic, doctor, visit)).toEqual([]);
    await expect(made.insert('visits', 'clinic_id, doctor_id', '1, 2')).rejects.toEqual(violated);
  });

  it('go with same, with their column and with their table, and their index with the last one', async () => {
    const made = await stage(databases, bound);
    expect(await made.indexes()).toEqual(['doctors_id_clinic_id_unique']);
    await made.apply((db, dialect) =>
      alterTable(db, dialect, 'visits', { change: { doctor: { from: bound, to: plain } } }),
    );
    await made.insert('visits', 'clinic_id, doctor_id', '1, 2');
    expect(await made.indexes()).toEqual(['doctors_id_clinic_id_unique']);
    await made.apply((db, dialect) => alterTable(db, dialect, 'doctors', { drop: ['chief_id'] }));
    expect(await made.indexes()).toEqual([]);
    await made.apply((db, dialect) =>
      createTable(db, dialect, 'notes', { fields: { clinic: visitFields.clinic, doctor: bound } }),
    );
    expect(await made.indexes()).toEqual(['doctors_id_clinic_id_unique']);
    await made.apply((db, dialect) => dropTable(db, dialect, 'notes'));
    expect(await made.indexes()).toEqual([]);
  });

  it('follow renamed tables and columns, and stay when a table is made again', async () => {
    const made = await stage(databases, bound);
    await made.insert('visits', 'clinic_id, doctor_id', '1, 1');
    await made.apply(async (db, dialect) => {
      await renameTable(db, dialect, 'doctors', 'surgeons', { model: 'Surgeon' });
      await alterTable(db, dialect, 'surgeons', { rename: { clinic_id: 'house_id' } });
      await alterTable(db, dialect, 'visits', {
        rename: { clinic_id: 'house_id' },
        add: { note: field.text({ required: true }) },
        fill: { note: 'old' },
      });
    });
    const house = tenant;
    const surgeon = defineResource('Surgeon', {
      fields: { house, chief: field.reference('Surgeon', { same: 'house' }) },
    });
    const renamed = defineResource('Visit', {
      fields: {
        house,
        doctor: field.reference('Surgeon', { same: 'house' }),
        note: field.text({ required: true }),
      },
    });
    expect(await made.differences(clinic, surgeon, renamed)).toEqual([]);
    await expect(made.insert('visits', 'house_id, doctor_id, note', `2, 1, 'x'`)).rejects.toEqual(violated);
    await made.apply((db, dialect) =>
      alterTable(db, dialect, 'visits', {
        change: {
          doctor: {
            from: field.reference('Surgeon', { same: 'house' }),
            to: field.reference('Surgeon'),
          },
        },
      }),
    );
    await made.insert('visits', 'house_id, doctor_id, note', `2, 1, 'x'`);
  });
});
