/** The page of a patient: sign in, choose a clinic, book and cancel appointments. Owners add their clinic. */
import { createClient, GatewrightError } from 'gatewright/client';
import { endpoints, resources } from './client-types.ts';
import { formOf } from './form.ts';

const main = document.querySelector('main') as HTMLElement;
// The tabs share the sign-in, and it outlives them.
const client = createClient({
  baseUrl: location.origin,
  resources,
  endpoints,
  storage: localStorage,
  strict: true,
});
const isGerman = navigator.language.startsWith('de');
const text = (en: string, de: string): string => (isGerman ? de : en);

/** The values of a form made from metadata; the service validates them. */
type Entered<Resource extends { create(values: never): unknown }> = Parameters<Resource['create']>[0];

const heading = (words: string): HTMLElement => {
  const title = document.createElement('h2');
  title.append(words);
  return title;
};

const button = (words: string, work: () => Promise<unknown>): HTMLButtonElement => {
  const made = document.createElement('button');
  made.append(words);
  made.addEventListener('click', () => work().catch(failed));
  return made;
};

/** A sign-in that has ended leads to its form. */
const failed = (error: unknown): void => {
  if (!(error instanceof GatewrightError)) throw error;
  if (error.status === 401) showSignIn();
  else alert(error.message);
};

const showSignIn = (): void => {
  const form = document.createElement('form');
  form.innerHTML = `
    <label>${text('Address', 'Adresse')}<input name="account" autocomplete="username" required></label>
    <label>${text('Password', 'Passwort')}
      <input name="password" type="password" autocomplete="current-password" required></label>
    <p role="alert"></p><button>${text('Sign in', 'Anmelden')}</button>`;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const entered = new FormData(form);
    const account = String(entered.get('account'));
    const password = String(entered.get('password'));
    try {
      const { user } = await client.auth.login({ account, password, remember: true });
      await showClinics(user.id);
    } catch (error) {
      if (!(error instanceof GatewrightError)) throw error;
      (form.querySelector('[role=alert]') as HTMLElement).textContent = error.message;
    }
  });
  main.replaceChildren(form);
};

const showClinics = async (user_id: number): Promise<void> => {
  const { items } = await client.clinics.list({ page: 1, per_page: 100, sort: ['name'] });
  const form = await formOf({
    client,
    model: 'Clinic',
    submit: text('Add a clinic', 'Praxis anlegen'),
    save: async (values) => {
      const { id } = await client.clinics.create(values as Entered<typeof client.clinics>);
      await enter(id, user_id);
    },
  });
  main.replaceChildren(
    heading(text('Where do you want to book?', 'Wo möchten Sie buchen?')),
    ...items.map(({ id, name }) => button(name, () => enter(id, user_id))),
    heading(text('Your own clinic', 'Ihre eigene Praxis')),
    form,
    button(text('Sign out', 'Abmelden'), () => client.auth.logout().then(showSignIn)),
  );
};

/** Asks a new patient for their data, once for each clinic. */
const enter = async (clinic_id: number, user_id: number): Promise<void> => {
  const [patient] = (await client.patients.list({ filter: { clinic_id, user_id }, page: 1 })).items;
  if (patient !== undefined) return showAppointments(clinic_id, patient.id);
  const fixed = { clinic_id, user_id };
  const form = await formOf({
    client,
    model: 'Patient',
    fixed,
    submit: text('Save', 'Speichern'),
    save: async (values) => {
      const { id } = await client.patients.create(values as Entered<typeof client.patients>);
      await showAppointments(clinic_id, id);
    },
  });
  main.replaceChildren(heading(text('About you', 'Über Sie')), form);
};

const showAppointments = async (clinic_id: number, patient_id: number): Promise<void> => {
  const again = () => showAppointments(clinic_id, patient_id);
  const { items } = await client.appointments.list({
    filter: { patient_id, state: 'booked' },
    include: { doctor: ['name'], treatment: ['name'] },
    sort: ['starts_at'],
    page: 1,
  });
  const list = document.createElement('ul');
  for (const { id, starts_at, doctor, treatment } of items) {
    const cancel = () => client.POST('/appointments/:id/cancel', { params: { id } }).then(again);
    const words = [new Date(starts_at).toLocaleString(), doctor?.name, treatment?.name].join(' · ');
    const item = document.createElement('li');
    item.append(words, button(text('Cancel', 'Absagen'), cancel));
    list.append(item);
  }
  const form = await formOf({
    client,
    model: 'Appointment',
    fixed: { clinic_id, patient_id },
    submit: text('Book', 'Buchen'),
    save: async (values) => {
      await client.appointments.create(values as Entered<typeof client.appointments>);
      await again();
    },
  });
  main.replaceChildren(
    heading(text('Your appointments', 'Ihre Termine')),
    list,
    heading(text('New appointment', 'Neuer Termin')),
    form,
  );
};

const resume = async (): Promise<void> => showClinics((await client.auth.me()).id);

if (localStorage.length === 0) showSignIn();
else resume().catch(failed);
