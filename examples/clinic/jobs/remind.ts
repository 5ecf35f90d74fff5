import { defineJob } from 'gatewright';
import appointment from '../resources/appointment.ts';
import clinic from '../resources/clinic.ts';
import doctor from '../resources/doctor.ts';
import patient from '../resources/patient.ts';
import { zone } from '../tenant.ts';

const day = 86_400_000;

/** Every quarter of an hour: reminds the patients of the next 24 hours, each once. */
export default defineJob({
  every: '*/15 * * * *',
  handle: async ({ records, transaction, now }) => {
    const gt = now().toISOString();
    const lt = new Date(now().getTime() + day).toISOString();
    const due = { state: 'booked', reminded_at: { null: true }, starts_at: { gt, lt } } as const;
    for (const { id } of await records(appointment).list({ filter: due, perPage: 1000 }))
      await transaction(async ({ records, mail }) => {
        const options = { lock: true, include: ['patient', 'doctor', 'clinic'] } as const;
        const found = await records(appointment, patient, doctor, clinic).find(id, options);
        // Another process reminded, or somebody cancelled, in between.
        if (found?.state !== 'booked' || found.reminded_at !== null) return;
        const { patient: recipient, doctor: seen, clinic: place, starts_at } = found;
        if (recipient === null || seen === null || place === null) return;
        await records(appointment).update(id, { reminded_at: now().toISOString() });
        const { email: to, given_name: name, language: locale } = recipient;
        const style = { dateStyle: 'full', timeStyle: 'short', timeZone: zone } as const;
        const time = new Date(starts_at).toLocaleString(locale, style);
        const values = { name, doctor: seen.name, clinic: place.name, time };
        await mail.send({ to, template: 'reminder', values, locale });
      });
  },
});
