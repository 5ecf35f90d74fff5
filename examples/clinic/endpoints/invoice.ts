import { defineEndpoint, field, Problem } from 'gatewright';
import { notBooked } from '../problems.ts';
import appointment from '../resources/appointment.ts';
import invoice from '../resources/invoice.ts';
import patient from '../resources/patient.ts';
import treatment from '../resources/treatment.ts';

/** The patient came: the appointment is kept, the invoice gets the next number, and the patient a mail. */
export default defineEndpoint({
  method: 'POST',
  path: '/appointments/:id/invoice',
  summary: { en: 'Invoice an appointment', de: 'Termin abrechnen' },
  auth: ['jwt', 'api_key'],
  params: { id: field.integer() },
  status: 201,
  output: invoice,
  problems: ['record_not_found', 'forbidden', notBooked],
  handle: ({ params: { id }, transaction }) =>
    transaction(async ({ records, asSystem }) => {
      const options = { lock: true, include: ['patient', 'treatment'] } as const;
      const found = await records(appointment, patient, treatment).get(id, options);
      if (found.state !== 'booked') throw notBooked();
      // As the caller: staff write the state. For the patient the field is restricted, and keeps its value.
      const { state } = await records(appointment).update(id, { state: 'kept' });
      if (state !== 'kept' || found.patient === null || found.treatment === null)
        throw new Problem('forbidden');
      const { clinic_id, patient_id, patient: recipient, treatment: done } = found;
      const system = asSystem('invoice of a kept appointment');
      const values = { clinic_id, patient_id, appointment_id: id, amount: done.price };
      const made = await system.records(invoice).create(values);
      const subject = `${made.number}: ${done.name}`;
      await system.mail.send({ to: recipient.email, subject, text: `${done.name}: ${made.amount} €` });
      return made;
    }),
});
