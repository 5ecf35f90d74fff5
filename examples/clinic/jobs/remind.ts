import { defineJob } from 'gatewright';
import appointment from '../resources/appointment.ts';

const day = 86_400_000;

/** Every quarter of an hour: reminds the patients of the next 24 hours, each once. */
export default defineJob({
  every: '*/15 * * * *',
  handle: async ({ records, transaction, now }) => {
    const from = now();
    const gt = from.toISOString();
    const lt = new Date(from.getTime() + day).toISOString();
    const due = { state: 'booked', reminded_at: { null: true }, starts_at: { gt, lt } } as const;
    for (const { id } of await records(appointment).list({ filter: due }))
      await transaction(async ({ records, mail }) => {
        const options = { lock: true, include: ['patient', 'doctor', 'clinic'] } as const;
        const { patient, doctor, clinic, ...current } = await records(appointment).get(id, options);
        // Another process reminded, or somebody cancelled, in between.
        if (current.reminded_at !== null || current.state !== 'booked') return;
        if (patient === null || doctor === null || clinic === null) return;
        await records(appointment).update(id, { reminded_at: now().toISOString() });
        const user = patient.user_id === null ? undefined : await records('User').find(patient.user_id);
        await mail.send({
          to: patient.email,
          template: 'reminder',
          values: { name: patient.given_name, doctor: doctor.name, clinic: clinic.name, time: current.starts_at },
          ...(user?.locale ? { locale: user.locale } : {}),
        });
      });
  },
});
