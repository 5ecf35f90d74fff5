import { anyOf, defineResource, field, own, via } from 'gatewright';
import { isStaff } from '../rules.ts';
import { inClinic, zone } from '../tenant.ts';
import appointment from './appointment.ts';
import clinic from './clinic.ts';
import patient from './patient.ts';

/** An invoice. The endpoint makes it, and no caller without a grant changes it. */
export default defineResource('Invoice', {
  label: { en: 'Invoice', de: 'Rechnung' },
  icon: 'receipt',
  display: '{number}',
  fields: {
    clinic: field.reference(() => clinic, { required: true, label: { en: 'Clinic', de: 'Praxis' } }),
    patient: field.reference(() => patient, { ...inClinic, label: { en: 'Patient', de: 'Patient' } }),
    appointment: field.reference(() => appointment, {
      ...inClinic,
      unique: true,
      label: { en: 'Appointment', de: 'Termin' },
    }),
    // Each clinic counts for itself, without gaps, by the year of its own calendar.
    number: field.sequence({
      per: 'clinic',
      format: '{year}-{n:4}',
      zone,
      label: { en: 'Number', de: 'Nummer' },
    }),
    amount: field.decimal({ required: true, min: 0, label: { en: 'Amount', de: 'Betrag' } }),
  },
  auth: ['jwt', 'api_key'],
  permissions: 'writes',
  isolation: { read: anyOf(isStaff, via('patient', own(), { of: patient })), write: isStaff },
});
