import { allOf, anyOf, defineResource, equals, field, own, via } from 'gatewright';
import { isOwner, isStaff } from '../rules.ts';
import { inClinic, ofClinic } from '../tenant.ts';
import doctor from './doctor.ts';
import patient from './patient.ts';
import treatment from './treatment.ts';

const isPatient = via('patient', own(), { of: patient });
const halfHour = 30 * 60_000;

/** A booked time. Doctor, patient and treatment belong to its clinic. */
export default defineResource('Appointment', {
  label: { en: 'Appointment', de: 'Termin' },
  icon: 'calendar',
  fields: {
    ...ofClinic,
    patient: field.reference(() => patient, { ...inClinic, label: { en: 'Patient', de: 'Patient' } }),
    doctor: field.reference(() => doctor, { ...inClinic, label: { en: 'Doctor', de: 'Arzt' } }),
    treatment: field.reference(() => treatment, {
      ...inClinic,
      label: { en: 'Treatment', de: 'Behandlung' },
    }),
    starts_at: field.datetime({ required: true, index: true, label: { en: 'Begins', de: 'Beginn' } }),
    state: field.enum(['booked', 'kept', 'cancelled'], {
      required: true,
      default: 'booked',
      colors: { booked: 'blue', kept: 'green', cancelled: 'grey' },
      label: { en: 'State', de: 'Status' },
      labels: {
        booked: { en: 'booked', de: 'gebucht' },
        kept: { en: 'kept', de: 'wahrgenommen' },
        cancelled: { en: 'cancelled', de: 'abgesagt' },
      },
    }),
    /** The time while it is taken; null after a cancellation, which leaves it to others. */
    slot: field.datetime({ label: { en: 'Taken time', de: 'Belegte Zeit' } }),
    reminded_at: field.datetime({ label: { en: 'Reminded', de: 'Erinnert' } }),
  },
  auth: ['jwt', 'api_key'],
  // No doctor has two patients at one time, however many book at once.
  unique: [['doctor_id', 'slot']],
  isolation: {
    read: anyOf(isStaff, isPatient),
    create: anyOf(isStaff, isPatient),
    // Patients move an appointment to another time until it is kept or cancelled.
    update: anyOf(isStaff, allOf(isPatient, equals('state', 'booked'))),
    destroy: isOwner,
  },
  restricted: ['slot', 'reminded_at', { fields: ['state'], unless: isStaff }],
  history: true,
  events: true,
  hooks: {
    beforeSave({ before, values, now, addError }) {
      const { starts_at = before?.starts_at, state = before?.state } = values;
      if (starts_at === undefined || starts_at === null) return;
      if (starts_at !== before?.starts_at) {
        const time = new Date(starts_at);
        if (time.getTime() % halfHour !== 0 || time <= now())
          addError('starts_at', {
            en: 'An appointment begins at the full or the half hour, and in the future',
            de: 'Ein Termin beginnt zur vollen oder halben Stunde, und in der Zukunft',
          });
        values.reminded_at = null;
      }
      values.slot = state === 'cancelled' ? null : starts_at;
    },
  },
});
