/** The clinics of examples/clinic: two tenants that sign themselves up, and everything that must not pass between them. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../src/cli/test-io.ts';
import {
  type TestApplication,
  type TestResponse,
  type TestUser,
  testApplication,
} from '../../src/testing/testing.ts';
import { describeEachDatabase } from '../support/databases.ts';

const folder = fileURLToPath(new URL('../../examples/clinic', import.meta.url));

const singular: Readonly<Record<string, string>> = {
  clinics: 'clinic',
  doctors: 'doctor',
  treatments: 'treatment',
  patients: 'patient',
  appointments: 'appointment',
  staff_members: 'staff_member',
  invoices: 'invoice',
};

/** Field and rule of each error. */
const rulesOf = ({ status, data }: TestResponse): unknown =>
  status === 422
    ? data.errors.map(({ field, rule }: Record<string, unknown>) => `${field}: ${rule}`)
    : status;

describeEachDatabase('the clinics', (databases) => {
  let app: TestApplication;

  beforeAll(async () => {
    const url = await databases.create();
    app = await testApplication({ application: folder, env: { DATABASE_URL: url, LOCALE: 'auto:en,de' } });
    app.clock.set('2099-01-10T08:00:00Z');
  });
  afterAll(() => app.close());

  const post = (user: TestUser, path: string, values: object): Promise<TestResponse> =>
    user.post(`/api/v1/${path}`, { [singular[path] ?? path]: values });
  const made = async (user: TestUser, path: string, values: object): Promise<number> => {
    const response = await post(user, path, values);
    expect([path, response.status, response.message]).toEqual([path, 201, 'Success']);
    return Number(response.data.id);
  };
  const addressOf = async ({ id }: TestUser): Promise<string> =>
    (await app.scope().records('User').find(id))?.email ?? '';

  /** A clinic that its owner has made, with a receptionist, a doctor and a treatment. */
  const clinicOf = async (name: string) => {
    const [owner, rita] = [await app.user(), await app.user()];
    const clinic_id = await made(owner, 'clinics', { name });
    await made(owner, 'staff_members', { clinic_id, email: await addressOf(rita) });
    const doctor_id = await made(owner, 'doctors', { clinic_id, name: 'Dr. Weiß' });
    const treatment_id = await made(owner, 'treatments', { clinic_id, name: 'Check-up', price: '49.90' });
    return { owner, rita, clinic_id, doctor_id, treatment_id };
  };
  type Clinic = Awaited<ReturnType<typeof clinicOf>>;

  const person = { given_name: 'Ann', family_name: 'Łukasik', email: 'ann@example.com', language: 'en' };
  const patientOf = async ({ clinic_id }: Clinic, values: object = {}) => {
    const user = await app.user();
    const id = await made(user, 'patients', { clinic_id, user_id: user.id, ...person, ...values });
    return { user, id };
  };
  const booking = (
    { clinic_id, doctor_id, treatment_id }: Clinic,
    patient_id: number,
    starts_at: string,
  ) => ({
    clinic_id,
    doctor_id,
    treatment_id,
    patient_id,
    starts_at,
  });

  it('clinics sign themselves up: the creator is the owner, who invites staff', async () => {
    const { owner, rita, clinic_id } = await clinicOf('Park');
    const staff = await owner.get(`/api/v1/staff_members?filter[clinic_id]=${clinic_id}&sort=id`);
    expect(staff.data).toMatchObject([
      { user_id: owner.id, role: 'owner', email: await addressOf(owner) },
      { user_id: rita.id, role: 'reception' },
    ]);
    // The reception invites and promotes no one.
    const seat = { clinic_id, email: await addressOf(await app.user()), role: 'owner' };
    expect((await post(rita, 'staff_members', seat)).status).toBe(403);
    expect((await post(rita, 'doctors', { clinic_id, name: 'Dr. No' })).status).toBe(403);
  });

  it('nothing passes from one clinic to another', async () => {
    const [park, sea] = [await clinicOf('Park'), await clinicOf('Sea')];
    const patient = await patientOf(park);
    const other = await patientOf(sea);
    const appointment = await made(
      patient.user,
      'appointments',
      booking(park, patient.id, '2099-02-02T09:00:00Z'),
    );
    for (const [name, id] of [
      ['doctor_id', sea.doctor_id],
      ['treatment_id', sea.treatment_id],
      ['patient_id', other.id],
    ] as const) {
      const foreign = { ...booking(park, patient.id, '2099-02-02T10:00:00Z'), [name]: id };
      for (const user of [park.owner, patient.user])
        expect(rulesOf(await post(user, 'appointments', foreign))).toEqual([`${name}: reference`]);
      const changed = await park.owner.patch(`/api/v1/appointments/${appointment}`, {
        appointment: { [name]: id },
      });
      expect(rulesOf(changed)).toEqual([`${name}: reference`]);
    }
    for (const user of [sea.owner, sea.rita, other.user]) {
      for (const path of [`appointments/${appointment}`, `patients/${patient.id}`])
        expect([path, (await user.get(`/api/v1/${path}`)).status]).toEqual([path, 404]);
      expect((await user.post(`/api/v1/appointments/${appointment}/cancel`, {})).status).toBe(404);
      expect((await user.post(`/api/v1/appointments/${appointment}/invoice`, {})).status).toBe(404);
      for (const path of ['appointments', 'patients', 'invoices', 'staff_members'])
        expect((await user.get(`/api/v1/${path}?filter[clinic_id]=${park.clinic_id}&q=`)).data, path).toEqual(
          [],
        );
    }
    const names = await sea.owner.get('/api/v1/patients?q=lukasik');
    expect(names.data.map(({ id }) => id)).toEqual([other.id]);
  });

  it('a patient stays in the clinic, and gives their data to no other account', async () => {
    const [park, sea] = [await clinicOf('Park'), await clinicOf('Sea')];
    const { user, id } = await patientOf(park);
    const change = (by: TestUser, values: object) => by.patch(`/api/v1/patients/${id}`, { patient: values });
    expect(rulesOf(await change(user, { clinic_id: sea.clinic_id }))).toEqual(['clinic_id: custom']);
    expect((await change(park.rita, { user_id: park.rita.id })).data.user_id).toBe(user.id);
    expect(
      (await post(user, 'patients', { clinic_id: park.clinic_id, user_id: user.id, ...person })).status,
    ).toBe(422);
    const eve = await app.user();
    expect((await post(eve, 'patients', { clinic_id: park.clinic_id, ...person })).status).toBe(403);
  });

  it('doctors alone read and write the medical note', async () => {
    const park = await clinicOf('Park');
    const doctor = await app.user();
    const { clinic_id } = park;
    await made(park.owner, 'staff_members', { clinic_id, email: await addressOf(doctor), role: 'doctor' });
    const { user, id } = await patientOf(park, { medical_note: 'healthy' });
    const noteFor = async (by: TestUser) => (await by.get(`/api/v1/patients/${id}`)).data.medical_note;
    const written = { patient: { medical_note: 'a cold' } };
    for (const by of [user, park.rita, park.owner]) await by.patch(`/api/v1/patients/${id}`, written);
    expect(await noteFor(doctor)).toBeNull();
    await doctor.patch(`/api/v1/patients/${id}`, written);
    expect(await Promise.all([doctor, user, park.rita].map(noteFor))).toEqual([
      'a cold',
      undefined,
      undefined,
    ]);
    const fieldFor = async (by: TestUser) =>
      (await by.get(`/api/v1/meta/Patient?with[clinic_id]=${clinic_id}`)).data.fields.find(
        ({ name }: { name: string }) => name === 'medical_note',
      );
    expect(await fieldFor(doctor)).toMatchObject({ read_only: false });
    expect((await fieldFor(park.rita))?.read_only).not.toBe(false);
    const strict = await park.rita.patch(`/api/v1/patients/${id}`, written, { Prefer: 'handling=strict' });
    expect(rulesOf(strict)).toEqual(['medical_note: ignored']);
  });

  it('one of many bookings of the same time wins, and a cancelled time is free again', async () => {
    const park = await clinicOf('Park');
    const patients: Awaited<ReturnType<typeof patientOf>>[] = [];
    for (let each = 0; each < 6; each += 1) patients.push(await patientOf(park));
    const starts_at = '2099-02-03T09:30:00Z';
    const book = ({ user, id }: (typeof patients)[number]) =>
      post(user, 'appointments', booking(park, id, starts_at));
    const responses = await Promise.all(patients.map(book));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422, 422]);
    const winner = responses.findIndex(({ status }) => status === 201);
    const id = Number(responses[winner]?.data.id);
    const [loser] = patients.filter((_, index) => index !== winner);
    if (loser === undefined) throw new Error('there are six patients');
    expect((await loser.user.post(`/api/v1/appointments/${id}/cancel`, {})).status).toBe(404);
    const cancelled = await patients[winner]?.user.post(`/api/v1/appointments/${id}/cancel`, {});
    expect(cancelled?.data).toMatchObject({ state: 'cancelled', slot: null });
    expect((await book(loser)).status).toBe(201);
  });

  it('appointments begin at the half hour and in the future, and are cancelled until they begin', async () => {
    const park = await clinicOf('Park');
    const { user, id } = await patientOf(park);
    for (const starts_at of ['2099-02-04T09:10:00Z', '2099-01-09T09:00:00Z'])
      expect(rulesOf(await post(user, 'appointments', booking(park, id, starts_at)))).toEqual([
        'starts_at: custom',
      ]);
    const now = await made(user, 'appointments', booking(park, id, '2099-01-10T09:00:00Z'));
    app.clock.set('2099-01-10T09:00:00Z');
    const late = await user.post(`/api/v1/appointments/${now}/cancel`, {}, { 'Accept-Language': 'de' });
    expect([late.status, late.code, late.message]).toEqual([409, 40950, 'Der Termin hat begonnen']);
    // Nor does the patient change its state.
    await user.patch(`/api/v1/appointments/${now}`, { appointment: { state: 'kept' } });
    expect((await user.get(`/api/v1/appointments/${now}`)).data.state).toBe('booked');
  });

  it('patients are reminded once, each in their language', async () => {
    const park = await clinicOf('Park');
    const german = { given_name: 'Bea', email: 'bea@example.de', language: 'de' };
    const [ann, bea, cal] = [await patientOf(park), await patientOf(park, german), await patientOf(park)];
    app.clock.set('2099-03-01T08:00:00Z');
    for (const [{ user, id }, starts_at] of [
      [ann, '2099-03-02T07:30:00Z'],
      [bea, '2099-03-02T07:00:00Z'],
      [cal, '2099-03-03T09:00:00Z'],
    ] as const)
      await made(user, 'appointments', booking(park, id, starts_at));
    const before = app.mails.length;
    for (let times = 0; times < 2; times += 1) {
      app.clock.advance('15m');
      await app.jobs.run();
    }
    const sent = app.mails.slice(before).sort((one, other) => (one.to < other.to ? -1 : 1));
    expect(sent.map(({ to, subject, locale }) => [to, subject, locale])).toEqual([
      ['ann@example.com', 'Your appointment at Park', 'en'],
      ['bea@example.de', 'Ihr Termin: Park', 'de'],
    ]);
    expect(sent[0]?.text).toMatch(/Dear Ann,.*on Monday, March 2, 2099 at 8:30.AM, with Dr\. Weiß/s);
    expect(sent[1]?.text).toMatch(/Guten Tag Bea,.*am Montag, 2\. März 2099 um 08:00 bei Dr\. Weiß/s);
  });

  it('a moved appointment is reminded again, a cancelled one never', async () => {
    const park = await clinicOf('Park');
    const { user, id } = await patientOf(park, { email: 'moved@example.com' });
    app.clock.set('2099-03-10T08:00:00Z');
    const moved = await made(user, 'appointments', booking(park, id, '2099-03-10T10:00:00Z'));
    const remindAll = async () => {
      app.clock.advance('15m');
      await app.jobs.run();
      return app.mails.filter(({ to }) => to === 'moved@example.com').length;
    };
    expect(await remindAll()).toBe(1);
    await user.patch(`/api/v1/appointments/${moved}`, { appointment: { starts_at: '2099-03-10T11:00:00Z' } });
    expect(await remindAll()).toBe(2);
    await user.patch(`/api/v1/appointments/${moved}`, { appointment: { starts_at: '2099-03-10T12:00:00Z' } });
    expect((await user.post(`/api/v1/appointments/${moved}/cancel`, {})).status).toBe(200);
    expect(await remindAll()).toBe(2);
  });

  it('appointments are counted by the days of Berlin, over the change to summer time', async () => {
    const park = await clinicOf('Park');
    const { user, id } = await patientOf(park);
    // The clocks of Berlin go forward on 29 March at 01:00 UTC.
    for (const time of ['28T22:30', '28T23:00', '29T21:30', '29T22:00'])
      await made(user, 'appointments', booking(park, id, `2099-03-${time}:00Z`));
    const daysIn = async (zone: string) => {
      const query = `filter[clinic_id]=${park.clinic_id}&group=starts_at:day&count=true&sort=starts_at_day&${zone}`;
      return (await park.rita.get(`/api/v1/appointments/aggregate?${query}`)).data;
    };
    expect(await daysIn('zone=Europe/Berlin')).toEqual([
      { starts_at_day: '2099-03-28', count: 1 },
      { starts_at_day: '2099-03-29', count: 2 },
      { starts_at_day: '2099-03-30', count: 1 },
    ]);
    expect(await daysIn('offset=%2B01:00')).toMatchObject([{ count: 1 }, { count: 3 }]);
  });

  it('invoices are numbered by clinic and by the year in Berlin, without gaps', async () => {
    const [park, sea] = [await clinicOf('Park'), await clinicOf('Sea')];
    app.clock.set('2099-12-30T08:00:00Z');
    const booked = async (clinic: Clinic, hour: number) => {
      const { user, id } = await patientOf(clinic);
      const starts_at = `2099-12-30T${hour}:00:00Z`;
      return { user, id: await made(user, 'appointments', booking(clinic, id, starts_at)) };
    };
    const invoice = async (by: TestUser, { id }: { readonly id: number }) =>
      by.post(`/api/v1/appointments/${id}/invoice`, {});
    const first = await booked(park, 10);
    const second = await booked(park, 11);
    const third = await booked(park, 12);
    const fourth = await booked(park, 13);
    const elsewhere = await booked(sea, 10);
    // The patient reads the appointment and may not invoice it; a refusal takes no number.
    expect((await invoice(first.user, first)).status).toBe(403);
    const both = await Promise.all([invoice(park.rita, first), invoice(park.rita, second)]);
    expect(both.map(({ data }) => data.number).sort()).toEqual(['2099-0001', '2099-0002']);
    expect((await invoice(park.rita, first)).code).toBe(40951);
    expect((await invoice(sea.rita, elsewhere)).data).toMatchObject({ number: '2099-0001', amount: '49.90' });
    // In Berlin the year begins an hour before that of UTC.
    app.clock.set('2099-12-31T22:59:00Z');
    expect((await invoice(park.owner, third)).data.number).toBe('2099-0003');
    app.clock.set('2099-12-31T23:00:00Z');
    const next = await invoice(park.owner, fourth);
    expect(next.data.number).toBe('2100-0001');
    await app.jobs.run();
    expect(app.mails.at(-1)).toMatchObject({
      to: 'ann@example.com',
      subject: '2100-0001: Check-up',
      text: 'Check-up: 49.90 €',
    });
    // No caller without a grant writes one; the patient reads their own.
    const patient = fourth.user;
    const path = `/api/v1/invoices/${next.data.id}`;
    expect((await patient.get(path)).data.number).toBe('2100-0001');
    for (const by of [patient, park.rita, park.owner]) {
      expect((await by.patch(path, { invoice: { amount: '1' } })).status).toBe(403);
      expect((await by.delete(path)).status).toBe(403);
    }
    expect((await first.user.get(path)).status).toBe(404);
  });

  it('users delete their account: the clinic keeps the patient and the appointments', async () => {
    const park = await clinicOf('Park');
    const { user, id } = await patientOf(park);
    const address = await addressOf(user);
    expect((await app.scope().records('User').findByAccount(address))?.id).toBe(user.id);
    await app.scope().records('User').remove(user.id);
    expect((await park.rita.get(`/api/v1/patients/${id}`)).data).toMatchObject({ id, user_id: null });
  });

  it('owners restore a deleted patient, and see the history', async () => {
    const park = await clinicOf('Park');
    const { user, id } = await patientOf(park);
    expect((await user.delete(`/api/v1/patients/${id}`)).status).toBe(403);
    expect((await park.owner.delete(`/api/v1/patients/${id}`)).status).toBe(200);
    expect((await user.get(`/api/v1/patients/${id}`)).status).toBe(404);
    expect((await park.rita.post(`/api/v1/patients/${id}/restore`)).status).toBe(404);
    expect((await park.owner.post(`/api/v1/patients/${id}/restore`)).status).toBe(200);
    const history = await park.owner.get(`/api/v1/patients/${id}/history`);
    expect(history.data.map(({ action }) => action)).toEqual(['create', 'destroy', 'create']);
  });
});

it('the types of the page are those of the models', async () => {
  const home = process.cwd();
  process.chdir(folder);
  try {
    const { stdout } = await run(['generate', 'client']);
    expect(stdout).toBe(await readFile('page/client-types.ts', 'utf8'));
  } finally {
    process.chdir(home);
  }
});
