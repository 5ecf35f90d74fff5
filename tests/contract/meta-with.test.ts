import { beforeAll, expect, it } from 'vitest';
import { createClient } from '../../client/index.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { member } from '../../src/model/row-rule.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

/** `GET /api/v1/meta/Patient?with[clinic_id]=1`: metadata as for a create with these values. */

const fields = {
  clinic: { name: field.string({ max: 20 }) },
  seat: {
    clinic: field.reference('Clinic', { required: true }),
    doctor: field.boolean(),
    user_id: field.owner(),
  },
  patient: {
    name: field.string({ max: 20, required: true }),
    clinic: field.reference('Clinic', { required: true }),
    medical_note: field.string({ max: 50 }),
    cost: field.integer(),
    born: field.date(),
  },
} as const;

const isMember = member('clinic_id', { of: 'Seat' });

const clinic = defineResource('Clinic', {
  fields: fields.clinic,
  isolation: { read: member('id', { of: 'Seat', on: 'clinic_id' }) },
});
const seat = defineResource('Seat', { fields: fields.seat });
const patient = defineResource('Patient', {
  fields: fields.patient,
  isolation: { read: isMember, create: member('clinic_id', { of: 'Seat', where: { doctor: true } }) },
  views: { list: ['id', 'name', 'clinic_id'], detail: ['id', 'name', 'clinic_id', 'medical_note', 'born'] },
  restricted: [
    'cost',
    { fields: ['medical_note'], unless: member('clinic_id', { of: 'Seat', where: { doctor: true } }) },
  ],
});

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'clinics', { fields: fields.clinic });
      await createTable(db, dialect, 'seats', { fields: fields.seat, references: { clinic: 'clinics' } });
      await createTable(db, dialect, 'patients', {
        fields: fields.patient,
        references: { clinic: 'clinics' },
      });
    },
  },
};

interface Described {
  readonly fields: readonly { readonly name: string; readonly read_only: boolean }[];
  readonly permissions: Readonly<Record<string, boolean>>;
  readonly schemas: { readonly create: { readonly properties?: object } };
}

describeEachDatabase('metadata for a create with some values', (databases) => {
  const service = useService(databases, {
    application: { resources: [clinic, seat, patient], migrations },
    env: { LOCALE: 'en' },
  });
  let root: TestUser;
  let rita: TestUser;
  let key = '';

  /** Rita is a doctor in clinic 1, a receptionist in clinic 2, and does not see clinic 3. */
  beforeAll(async () => {
    root = await service.admin();
    rita = await service.createUser();
    for (const name of ['one', 'two', 'three'])
      await service.ok('POST', '/api/v1/clinics', { token: root, body: { clinic: { name } } });
    for (const [clinic_id, doctor] of [
      [1, true],
      [2, false],
    ])
      await service.ok('POST', '/api/v1/seats', {
        token: root,
        body: { seat: { clinic_id, doctor, user_id: rita.id } },
      });
    key = (
      await service.ok<{ readonly key: string }>('POST', '/api/v1/api_keys', {
        token: rita,
        body: { api_key: { name: 'reader', scopes: ['patients:read'] } },
      })
    ).key;
  });

  const ask = (query: string, of = rita) =>
    service.request<Described>('GET', `/api/v1/meta/Patient${query}`, { token: of });
  const readOnly = ({ data }: Awaited<ReturnType<typeof ask>>): readonly string[] =>
    data.fields.filter(({ read_only }) => read_only).map(({ name }) => name);
  const create = (patient: object) =>
    service.request('POST', '/api/v1/patients', { token: rita, body: { patient } });

  it('says what a create with them may write, as the create then does', async () => {
    const doctor = await ask('?with[clinic_id]=1');
    expect(doctor.status).toBe(200);
    expect(doctor.data.permissions).toMatchObject({ create: true });
    expect(readOnly(doctor)).not.toContain('medical_note');
    expect(Object.keys(doctor.data.schemas.create.properties ?? {})).toContain('medical_note');
    const made = await create({ name: 'Ann', clinic_id: 1, medical_note: 'kept' });
    expect(made.status).toBe(201);

    const receptionist = await ask('?with[clinic_id]=2');
    expect(receptionist.data.permissions).toMatchObject({ create: false });
    expect((await create({ name: 'Ann', clinic_id: 2 })).status).toBe(403);
  });

  it('takes values that decide nothing', async () => {
    const { status, data } = await ask('?with[name]=Ann&with[born]=2001-02-03&with[medical_note]=');
    expect(status).toBe(200);
    expect(data.permissions).toMatchObject({ create: true });
  });

  it('refuses a hidden, a missing and a malformed reference alike, as a create does', async () => {
    const texts = await Promise.all(
      ['3', '999', '0', '-1'].map(async (id) => {
        const answer = await ask(`?with[clinic_id]=${id}`);
        expect(answer.status).toBe(400);
        return answer.text;
      }),
    );
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('with[clinic_id]');
    const creates = await Promise.all([3, 999].map((clinic_id) => create({ name: 'a', clinic_id })));
    expect(new Set(creates.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  });

  it('refuses unknown, restricted and read-only names alike', async () => {
    const answers = await Promise.all(
      ['colour', 'cost', 'id', 'created_at'].map((name) => ask(`?with[${name}]=1`)),
    );
    for (const [index, name] of ['colour', 'cost', 'id', 'created_at'].entries()) {
      expect(answers[index]?.status).toBe(400);
      expect(answers[index]?.text).toContain(name);
    }
    expect(new Set(answers.map(({ json }) => json.code)).size).toBe(1);
  });

  it.each([
    '?with=1',
    '?with[]=1',
    '?with[born]=soon',
    '?with[name]=',
    '?with[clinic_id]=1&with[clinic_id]=1',
    '?with[clinic_id]=1&id=1',
    '?with[name]=%00',
  ])('refuses %s', async (query) => {
    const answer = await ask(query);
    expect(answer.status).toBe(400);
    expect(answer.json.message).not.toBe('');
  });

  it('looks nothing up for a caller who may not create', async () => {
    const answers = await Promise.all(
      ['1', '3', '999'].map((id) =>
        service.request<Described>('GET', `/api/v1/meta/Patient?with[clinic_id]=${id}`, { key }),
      ),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.data.permissions).toMatchObject({ create: false });
  });

  it('takes values of administrators and of the typed client', async () => {
    const all = await ask('?with[clinic_id]=3', root);
    expect(all.data.permissions).toMatchObject({ create: true });
    expect(readOnly(all)).not.toContain('medical_note');
    const client = createClient({ baseUrl: service.origin, auth: { token: rita.token } });
    const described = await client.meta('Patient', { with: { clinic_id: 2, name: null } });
    expect(described.permissions.create).toBe(false);
    await expect(client.meta('Patient', { with: { clinic_id: 999 } })).rejects.toMatchObject({ status: 400 });
  });
});
