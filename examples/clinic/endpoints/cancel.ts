import { defineEndpoint, field } from 'gatewright';
import { notBooked, tooLate } from '../problems.ts';
import appointment from '../resources/appointment.ts';

/** Patients and staff cancel an appointment until it begins. */
export default defineEndpoint({
  method: 'POST',
  path: '/appointments/:id/cancel',
  summary: { en: 'Cancel an appointment', de: 'Termin absagen' },
  auth: ['jwt', 'api_key'],
  params: { id: field.integer() },
  output: appointment,
  problems: ['record_not_found', notBooked, tooLate],
  handle: ({ params: { id }, transaction, now }) =>
    transaction(async ({ records, asSystem }) => {
      const { starts_at, state } = await records(appointment).get(id, { lock: true });
      if (state !== 'booked') throw notBooked();
      if (new Date(starts_at) <= now()) throw tooLate();
      return asSystem('cancelled').records(appointment).update(id, { state: 'cancelled' });
    }),
});
