import { defineEndpoint, field, Problem } from 'gatewright';
import { notBooked } from '../problems.ts';
import appointment from '../resources/appointment.ts';
import invoice from '../resources/invoice.ts';

/** The patient came: the appointment is kept, the invoice gets the next number, and the patient a mail. */
export default defineEndpoint({
  method: 'POST',
  path: '/appointments/:id/invoice',
  summary: { en: 'Invoice an appointment', de: 'Termin abrechnen' },
  auth: ['jwt', 'api_key'],
  params: { id: field.integer() },
  status: 201,
  output: invoice,
  mail: true,
  problems: ['record_not_found', 'forbidden', notBooked],
  handle: ({ params: { id }, transaction }) =>
    transaction(async ({ records, asSystem, mail }) => {
      const options = { lock: true, include: ['patient', 'treatment'] } as const;
      const { state, clinic_id, patient, treatment } = await records(appointment).get(id, options);
      if (state !== 'booked') throw notBooked();
      if (patient === null || treatment === null) throw new Problem('forbidden');
      // With the rights of the caller: staff may, patients may not.
      await records(appointment).update(id, { state: 'kept' });
      const values = { clinic_id, patient_id: patient.id, appointment_id: id, amount: treatment.price };
      const made = await asSystem('invoice of a kept appointment').records(invoice).create(values);
      await mail.send({
        to: patient.email,
        subject: `${made.number}: ${treatment.name}`,
        text: `${treatment.name}: ${made.amount} €`,
      });
      return made;
    }),
});
