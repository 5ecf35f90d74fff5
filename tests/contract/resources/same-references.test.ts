import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { defineJob } from '../../../src/delivery/jobs/define-job.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { many } from '../../../src/model/relation.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type RequestOptions, type TestUser, useService } from '../../support/service.ts';

/** `field.reference('Doctor', { same: 'clinic' })`: records of one tenant refer to records of this tenant only. */

const clinic = field.reference('Clinic', { required: true });
const closing = field.reference('Clinic', { required: true, onDelete: 'cascade' });
const fields = {
  clinics: { name: field.string() },
  doctors: { clinic, name: field.string(), chief: field.reference('Doctor', { same: 'clinic' }) },
  rooms: { clinic, name: field.string() },
  visits: {
    clinic,
    code: field.string({ unique: true }),
    subject: field.string(),
    doctor: field.reference('Doctor', { same: 'clinic' }),
    room: field.reference('Room', { same: 'clinic', onDelete: 'restrict' }),
  },
  plans: { clinic, doctor: field.reference('Doctor', { same: 'clinic', required: true, default: 1 }) },
  pets: { clinic: closing, name: field.string() },
  cures: {
    clinic: closing,
    pet: field.reference('Pet', { same: 'clinic', required: true, onDelete: 'cascade' }),
    toy: field.reference('Toy', { same: 'clinic' }),
  },
  toys: { clinic: closing, pet: field.reference('Pet', { same: 'clinic' }) },
} as const;

const Visit = defineResource('Visit', {
  fields: fields.visits,
  trash: true,
  hooks: {
    beforeSave: ({ values }) => {
      const [, to] = /^to (\d+)$/.exec(String(values.subject)) ?? [];
      if (to !== undefined) values.clinic_id = Number(to);
    },
  },
});
const resources = [
  defineResource('Clinic', { fields: fields.clinics, trash: true }),
  defineResource('Doctor', {
    fields: fields.doctors,
    trash: true,
    relations: { visits: many('Visit', { by: 'doctor', write: true }) },
  }),
  defineResource('Room', { fields: fields.rooms }),
  Visit,
  defineResource('Plan', { fields: fields.plans }),
  defineResource('Pet', { fields: fields.pets, trash: true }),
  defineResource('Cure', { fields: fields.cures, trash: true }),
  defineResource('Toy', { fields: fields.toys, trash: true }),
];

const migrations: Migrations = {
  '0001_clinics': {
    up: async (db, dialect) => {
      for (const name of ['clinics', 'doctors', 'rooms', 'visits', 'plans', 'pets', 'toys', 'cures'] as const)
        await createTable(db, dialect, name, { fields: fields[name] });
    },
  },
};

const jobs = {
  assign: defineJob({
    input: { visit: field.integer({ required: true }), doctor: field.integer({ required: true }) },
    attempts: 1,
    handle: async ({ values, records }) => {
      await records(Visit).update(values.visit, { doctor_id: values.doctor });
    },
  }),
};

interface Row {
  readonly id: number;
  readonly clinic_id: number;
  readonly doctor_id: number | null;
  readonly [name: string]: unknown;
}

interface Refused {
  readonly errors: readonly { readonly field: string; readonly rule: string; readonly message: string }[];
}

describeEachDatabase('references with same', (databases) => {
  const service = useService(databases, {
    application: { resources, migrations, jobs },
    env: { LOCALE: 'en' },
  });
  let root: TestUser;
  let east: number;
  let west: number;
  /** Doctors: Anna is of the east, Bert of the west. */
  let anna: number;
  let bert: number;

  const send = (method: string, path: string, body?: unknown, more: RequestOptions = {}) =>
    service.request<Row & Refused>(method, path, {
      token: root,
      body,
      ...more,
    });
  const make = async (path: string, values: object): Promise<number> => {
    const { id } = await service.ok<Row>('POST', `/api/v1/${path}s`, {
      token: root,
      body: { [path]: values },
    });
    return id;
  };
  const read = (path: string, id: number) => service.ok<Row>('GET', `/api/v1/${path}/${id}`, { token: root });
  const patch = (path: string, id: number, values: object) =>
    send('PATCH', `/api/v1/${path}s/${id}`, { [path]: values });
  /** `field rule` of every error of a 422, or the status. */
  const refusal = (answer: Awaited<ReturnType<typeof send>>) =>
    answer.status === 422
      ? answer.data.errors.map(({ field: name, rule }) => `${name} ${rule}`)
      : answer.status;

  beforeAll(async () => {
    root = await service.admin();
    [east, west] = [await make('clinic', { name: 'east' }), await make('clinic', { name: 'west' })];
    [anna, bert] = [await make('doctor', { clinic_id: east }), await make('doctor', { clinic_id: west })];
    expect(anna).toBe(1);
  });

  it('references with same take a record of the same tenant, and any other one is as if it were missing', async () => {
    const visit = await make('visit', { clinic_id: east, doctor_id: anna });
    const create = (values: object) => send('POST', '/api/v1/visits', { visit: values });
    const strange = await create({ clinic_id: east, doctor_id: bert });
    const missing = await create({ clinic_id: east, doctor_id: 1e6 });
    expect(strange.status).toBe(422);
    expect(strange.json).toEqual(missing.json);
    expect(refusal(await create({ doctor_id: anna }))).toEqual(['clinic_id required']);
    const change = (values: object) => patch('visit', visit, values);
    expect(refusal(await change({ doctor_id: bert }))).toEqual(['doctor_id reference']);
    expect(refusal(await change({ clinic_id: west }))).toEqual(['doctor_id reference']);
    expect(refusal(await change({ subject: `to ${west}` }))).toEqual(['doctor_id reference']);
    expect(await read('visits', visit)).toMatchObject({ clinic_id: east, doctor_id: anna, subject: null });
    expect(refusal(await change({ clinic_id: west, doctor_id: bert }))).toBe(200);
    expect(refusal(await change({ doctor_id: null, subject: `to ${east}` }))).toBe(200);
    expect(await read('visits', visit)).toMatchObject({ clinic_id: east, doctor_id: null });
  });

  it('hold a hook and a default to the tenant', async () => {
    const moved = await send('POST', '/api/v1/visits', {
      visit: { clinic_id: east, doctor_id: anna, subject: `to ${west}` },
    });
    expect(refusal(moved)).toEqual(['doctor_id reference']);
    expect(refusal(await send('POST', '/api/v1/plans', { plan: { clinic_id: west } }))).toEqual([
      'doctor_id reference',
    ]);
    expect(await read('plans', await make('plan', { clinic_id: east }))).toMatchObject({ doctor_id: anna });
  });

  it('hold the record that they name to its tenant, until the last one is gone', async () => {
    const doctor = await make('doctor', { clinic_id: east });
    const visit = await make('visit', { clinic_id: east, doctor_id: doctor });
    const move = (to: number) => patch('doctor', doctor, { clinic_id: to });
    const refused = await move(west);
    expect(refusal(refused)).toEqual(['clinic_id held']);
    expect(refused.data.errors[0]?.message).toBe(
      'Clinic cannot change while other records refer to this one',
    );
    expect(refusal(await move(east))).toBe(200);
    expect(refusal(await send('DELETE', `/api/v1/visits/${visit}`))).toBe(200);
    expect(refusal(await move(west))).toBe(200);
  });

  it('let a record that refers to itself move', async () => {
    const doctor = await make('doctor', { clinic_id: east });
    expect(refusal(await patch('doctor', doctor, { chief_id: doctor }))).toBe(200);
    expect(refusal(await patch('doctor', doctor, { clinic_id: west }))).toBe(200);
    expect(await read('doctors', doctor)).toMatchObject({ clinic_id: west, chief_id: doctor });
  });

  it('hold in batches, for what the same batch writes too', async () => {
    const visit = await make('visit', { clinic_id: east });
    const refused = await send('POST', '/api/v1/visits/batch', {
      create: [
        { clinic_id: east, doctor_id: anna },
        { clinic_id: west, doctor_id: anna },
      ],
      update: [{ id: visit, doctor_id: bert }],
    });
    expect(refusal(refused)).toEqual(['update.0.doctor_id reference', 'create.1.doctor_id reference']);
    const doctor = await make('doctor', { clinic_id: east });
    const both = (first: object, second: object) =>
      send('POST', '/api/v1/doctors/batch', { update: [first, second] });
    expect(refusal(await both({ id: doctor, chief_id: anna }, { id: anna, clinic_id: west }))).toEqual([
      'update.1.clinic_id held',
    ]);
    expect(refusal(await both({ id: doctor, clinic_id: west }, { id: doctor, chief_id: bert }))).toBe(200);
  });

  it('hold in nested writes', async () => {
    const nest = (tenant: number) =>
      send('POST', '/api/v1/doctors', { doctor: { clinic_id: east, visits: [{ clinic_id: tenant }] } });
    expect(refusal(await nest(east))).toBe(201);
    expect(refusal(await nest(west))).toEqual(['visits.0.doctor_id reference']);
    const change = (visits: object[]) => patch('doctor', anna, { visits });
    expect(refusal(await change([{ clinic_id: west }]))).toEqual(['visits.0.doctor_id reference']);
    const visit = await make('visit', { clinic_id: east, doctor_id: anna });
    expect(refusal(await change([{ id: visit, clinic_id: west }]))).toEqual(['visits.0.doctor_id reference']);
    const away = { clinic_id: west, visits: [{ id: visit, clinic_id: west }] };
    expect(refusal(await patch('doctor', anna, away))).toEqual([
      'clinic_id held',
      'visits.0.doctor_id reference',
    ]);
  });

  it('hold in imports of files and of the administration area, and in its forms', async () => {
    const file = (lines: string, query = '') =>
      send('POST', `/api/v1/visits/import${query}`, lines, { headers: { 'content-type': 'text/csv' } });
    const head = 'code,clinic_id,doctor_id\n';
    expect(refusal(await file(`${head}a,${east},${anna}\nb,${west},${anna}\n`))).toEqual([
      'line.3.doctor_id reference',
    ]);
    expect(refusal(await file(`${head}a,${east},${anna}\nb,${west},${bert}\n`))).toBe(200);
    expect(refusal(await file(`code,clinic_id\na,${west}\n`, '?update_by=code'))).toEqual([
      'line.2.doctor_id reference',
    ]);
    const lines = [{ line: 2, values: { code: 'c', clinic_id: west, doctor_id: anna } }];
    const imported = await service.ok<{ readonly refused: number; readonly lines: readonly Refused[] }>(
      'POST',
      '/admin/records/visits/import',
      { token: root, body: { preview: false, lines } },
    );
    expect(imported).toMatchObject({ refused: 1, lines: [{ errors: [{ field: 'doctor_id' }] }] });
    const visit = await make('visit', { clinic_id: east });
    const form = await send('PATCH', `/admin/records/visits/${visit}`, { visit: { doctor_id: bert } });
    expect(refusal(form)).toEqual(['doctor_id reference']);
  });

  it('hold in system scopes, transactions and jobs', async () => {
    const visit = await make('visit', { clinic_id: east });
    const scope = service.server.services.systemScope('a test');
    const invalid = expect.objectContaining({ kind: 'invalid_record' });
    await expect(scope.records('Visit').update(visit, { doctor_id: bert })).rejects.toEqual(invalid);
    await expect(
      scope.transaction(async ({ records }) => {
        const { id } = await records('Doctor').create({ clinic_id: west });
        await records('Visit').update(visit, { doctor_id: Number(id) });
      }),
    ).rejects.toEqual(invalid);
    const failing = await scope.jobs.add('assign', { visit, doctor: bert });
    const jobOf = async (id: number) => {
      const list = await service.ok<readonly Row[]>('GET', '/admin/jobs', { token: root });
      return list.find((job) => job.id === id);
    };
    await expect.poll(async () => (await jobOf(failing))?.['state']).toBe('failed');
    expect(await read('visits', visit)).toMatchObject({ doctor_id: null });
    await scope.jobs.add('assign', { visit, doctor: anna });
    await expect.poll(async () => (await read('visits', visit)).doctor_id).toBe(anna);
  });

  const restore = (path: string, id: number) => send('POST', `/admin/records/${path}/${id}/restore`);

  it('come back from the trash only to a record that is of the same tenant by then', async () => {
    const [doctor, room] = [
      await make('doctor', { clinic_id: east }),
      await make('room', { clinic_id: east }),
    ];
    const first = await make('visit', { clinic_id: east, doctor_id: doctor });
    const second = await make('visit', { clinic_id: east, room_id: room });
    for (const id of [first, second]) await send('DELETE', `/api/v1/visits/${id}`);
    expect(refusal(await patch('doctor', doctor, { clinic_id: west }))).toBe(200);
    expect(refusal(await patch('room', room, { clinic_id: west }))).toBe(200);
    expect((await restore('visits', first)).data).toMatchObject({ clinic_id: east, doctor_id: null });
    expect(refusal(await restore('visits', second))).toEqual(['room_id reference']);
  });

  it('references with same are set again by a restore only in records that are of the same tenant by then', async () => {
    const doctor = await make('doctor', { clinic_id: east });
    const [stays, moves] = [
      await make('visit', { clinic_id: east, doctor_id: doctor }),
      await make('visit', { clinic_id: east, doctor_id: doctor }),
    ];
    expect(refusal(await send('DELETE', `/api/v1/doctors/${doctor}`))).toBe(200);
    expect(await read('visits', stays)).toMatchObject({ clinic_id: east, doctor_id: null });
    expect(refusal(await patch('visit', moves, { clinic_id: west }))).toBe(200);
    expect(refusal(await restore('doctors', doctor))).toBe(200);
    const doctors = [stays, moves].map(async (id) => (await read('visits', id)).doctor_id);
    expect(await Promise.all(doctors)).toEqual([doctor, null]);
  });

  it('leave every onDelete as it is, and a tenant goes and comes back with its records', async () => {
    const tenant = await make('clinic', { name: 'south' });
    const pet = await make('pet', { clinic_id: tenant });
    const toy = await make('toy', { clinic_id: tenant, pet_id: pet });
    const cure = await make('cure', { clinic_id: tenant, pet_id: pet, toy_id: toy });
    expect(refusal(await send('DELETE', `/api/v1/pets/${pet}`))).toBe(200);
    expect(await read('toys', toy)).toMatchObject({ clinic_id: tenant, pet_id: null });
    expect((await send('GET', `/api/v1/cures/${cure}`)).status).toBe(404);
    expect(refusal(await restore('pets', pet))).toBe(200);
    expect(await read('cures', cure)).toMatchObject({ pet_id: pet, toy_id: toy });
    expect(await read('toys', toy)).toMatchObject({ pet_id: pet });
    expect(refusal(await send('DELETE', `/api/v1/clinics/${tenant}`))).toBe(200);
    expect((await send('GET', `/api/v1/toys/${toy}`)).status).toBe(404);
    expect(refusal(await restore('clinics', tenant))).toBe(200);
    expect(await read('cures', cure)).toMatchObject({ clinic_id: tenant, pet_id: pet, toy_id: toy });
    const room = await make('room', { clinic_id: tenant });
    await make('visit', { clinic_id: tenant, room_id: room });
    expect(refusal(await send('DELETE', `/api/v1/rooms/${room}`))).toBe(409);
  });

  it('hold while both records are written at the same time', async () => {
    for (let round = 0; round < 15; round += 1) {
      const doctor = await make('doctor', { clinic_id: east });
      const visit = await make('visit', { clinic_id: east });
      const answers = await Promise.all([
        send('POST', '/api/v1/visits', { visit: { clinic_id: east, doctor_id: doctor } }),
        patch('doctor', doctor, { clinic_id: west }),
        patch('visit', visit, { doctor_id: doctor }),
        patch('visit', visit, { clinic_id: west }),
      ]);
      // 409: by the time of the look-up another write has taken away the reason of the refusal.
      for (const { status } of answers) expect([200, 201, 409, 422]).toContain(status);
      const { clinic_id: now } = await read('doctors', doctor);
      const of = `/api/v1/visits?filter[doctor_id]=${doctor}`;
      const visits = await service.ok<readonly Row[]>('GET', of, { token: root });
      expect(visits.filter((each) => each.clinic_id !== now)).toEqual([]);
    }
  });

  it('references with same are named by the metadata', async () => {
    const { fields: described } = await service.ok<{
      readonly fields: readonly { readonly name: string; readonly same?: string }[];
    }>('GET', '/api/v1/meta/Visit', { token: root });
    expect(described.filter(({ same }) => same !== undefined).map(({ name, same }) => [name, same])).toEqual([
      ['doctor_id', 'clinic_id'],
      ['room_id', 'clinic_id'],
    ]);
  });
});
