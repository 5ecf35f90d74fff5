/** The page of a patient: sign in, choose a clinic, book and cancel appointments. */
import { createClient, GatewrightError } from 'gatewright/client';
import { endpoints, resources } from './client-types.ts';
import { formOf } from './form.ts';

const main = document.querySelector('main') as HTMLElement;
const client = createClient({ baseUrl: location.origin, resources, endpoints });
const german = navigator.language.startsWith('de');
const text = (en: string, de: string): string => (german ? de : en);

const heading = (words: string): HTMLElement => {
  const title = document.createElement('h2');
  title.append(words);
  return title;
};

const signIn = (): void => {
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
      await chooseClinic(user.id);
    } catch (error) {
      if (!(error instanceof GatewrightError)) throw error;
      (form.querySelector('[role=alert]') as HTMLElement).textContent = error.message;
    }
  });
  main.replaceChildren(form);
};

const chooseClinic = async (user_id: number): Promise<void> => {
  const { items } = await client.clinics.list({ page: 1, per_page: 100, sort: ['name'] });
  const buttons = items.map(({ id, name }) => {
    const button = document.createElement('button');
    button.append(name);
    button.addEventListener('click', () => enter(id, user_id));
    return button;
  });
  main.replaceChildren(heading(text('Where do you want to book?', 'Wo möchten Sie buchen?')), ...buttons);
};

/** Asks a new patient for their data, once for each clinic. */
const enter = async (clinic_id: number, user_id: number): Promise<void> => {
  const { items } = await client.patients.list({ filter: { clinic_id, user_id }, page: 1 });
  const [patient] = items;
  if (patient !== undefined) return show(clinic_id, patient.id);
  const metadata = await client.meta('Patient', { with: { clinic_id, user_id } });
  const fixed = { clinic_id, user_id };
  const form = await formOf(metadata, fixed, async () => [], text('Save', 'Speichern'), async (values) => {
    const { id } = await client.patients.create(values as Parameters<typeof client.patients.create>[0]);
    await show(clinic_id, id);
  });
  main.replaceChildren(heading(text('About you', 'Über Sie')), form);
};

const show = async (clinic_id: number, patient_id: number): Promise<void> => {
  const { items } = await client.appointments.list({
    filter: { patient_id, state: 'booked' },
    include: { doctor: ['name'], treatment: ['name'] },
    sort: ['starts_at'],
    page: 1,
  });
  const list = document.createElement('ul');
  for (const { id, starts_at, doctor, treatment } of items) {
    const item = document.createElement('li');
    const button = document.createElement('button');
    button.append(text('Cancel', 'Absagen'));
    button.addEventListener('click', async () => {
      await client.POST('/appointments/:id/cancel', { params: { id } });
      await show(clinic_id, patient_id);
    });
    item.append(`${new Date(starts_at).toLocaleString()} · ${doctor?.name} · ${treatment?.name} `, button);
    list.append(item);
  }
  const fixed = { clinic_id, patient_id };
  const metadata = await client.meta('Appointment', { with: fixed });
  const filter = { clinic_id };
  const named = async ({ reference }: { readonly reference?: string }) => {
    const query = { filter, page: 1, per_page: 100, sort: ['name'] } as const;
    const page = await (reference === 'Doctor' ? client.doctors : client.treatments).list(query);
    return page.items.map(({ id, name }) => [String(id), name] as const);
  };
  const form = await formOf(metadata, fixed, named, text('Book', 'Buchen'), async (values) => {
    await client.appointments.create(values as Parameters<typeof client.appointments.create>[0]);
    await show(clinic_id, patient_id);
  });
  main.replaceChildren(
    heading(text('Your appointments', 'Ihre Termine')),
    list,
    heading(text('New appointment', 'Neuer Termin')),
    form,
  );
};

signIn();
