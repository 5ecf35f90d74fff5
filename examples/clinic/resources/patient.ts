import { anyOf, defineResource, field, own } from 'gatewright';
import { isDoctor, isOwner, isStaff } from '../rules.ts';
import clinic from './clinic.ts';

/** A patient of one clinic: entered by its reception, or by the person with an account of their own. */
export default defineResource('Patient', {
  label: { en: 'Patient', de: 'Patient' },
  icon: 'person',
  display: '{given_name} {family_name}',
  fields: {
    clinic: field.reference(() => clinic, {
      required: true,
      onDelete: 'cascade',
      label: { en: 'Clinic', de: 'Praxis' },
    }),
    given_name: field.string({ required: true, max: 80, label: { en: 'Given name', de: 'Vorname' } }),
    family_name: field.string({ required: true, max: 80, label: { en: 'Family name', de: 'Nachname' } }),
    birthday: field.date({ label: { en: 'Birthday', de: 'Geburtstag' } }),
    email: field.email({ required: true, label: { en: 'Address', de: 'Adresse' } }),
    medical_note: field.text({ max: 20_000, label: { en: 'Medical note', de: 'Befund' } }),
    /** The person's account; null for patients whom the reception entered. */
    user_id: field.owner({ label: { en: 'Account', de: 'Konto' } }),
  },
  auth: ['jwt', 'api_key'],
  isolation: { write: anyOf(own(), isStaff), destroy: isOwner },
  restricted: [{ fields: ['medical_note'], unless: isDoctor }],
  views: { when: [[isDoctor, ['medical_note']]] },
  search: ['family_name', 'given_name'],
  trash: true,
  manage: isOwner,
  history: true,
  events: true,
});
