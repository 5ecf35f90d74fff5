import { anyOf, defineResource, field, own } from 'gatewright';
import { isDoctor, isOwner, isStaff } from '../rules.ts';
import { ofClinic } from '../tenant.ts';

/** A patient of one clinic: entered by its reception, or by the person with an account of their own. */
export default defineResource('Patient', {
  label: { en: 'Patient', de: 'Patient' },
  icon: 'person',
  display: '{given_name} {family_name}',
  fields: {
    ...ofClinic,
    given_name: field.string({ required: true, max: 80, label: { en: 'Given name', de: 'Vorname' } }),
    family_name: field.string({ required: true, max: 80, label: { en: 'Family name', de: 'Nachname' } }),
    birthday: field.date({ label: { en: 'Birthday', de: 'Geburtstag' } }),
    email: field.email({ required: true, label: { en: 'Address', de: 'Adresse' } }),
    /** Of reminders: patients whom the reception entered have no account with a language. */
    language: field.enum(['en', 'de'], {
      required: true,
      label: { en: 'Language', de: 'Sprache' },
      labels: { en: { en: 'English', de: 'Englisch' }, de: { en: 'German', de: 'Deutsch' } },
    }),
    medical_note: field.text({ max: 20_000, label: { en: 'Medical note', de: 'Befund' } }),
    /** The person's account; null for patients whom the reception entered. */
    user_id: field.owner({ label: { en: 'Account', de: 'Konto' } }),
  },
  auth: ['jwt', 'api_key'],
  isolation: { write: anyOf(own(), isStaff), destroy: isOwner },
  // Staff cannot give a patient's data to an account: a person does so for themselves.
  restricted: [
    { fields: ['medical_note'], unless: isDoctor },
    { fields: ['user_id'], unless: own() },
  ],
  // A person is one patient of a clinic.
  unique: [['user_id', 'clinic_id']],
  views: { when: [[isDoctor, ['medical_note']]] },
  search: ['family_name', 'given_name'],
  trash: true,
  manage: isOwner,
  history: true,
  events: true,
  hooks: {
    /** Not even their own account moves a patient with a medical note to another clinic. */
    beforeSave({ before, values, addError }) {
      const { clinic_id } = values;
      if (before !== undefined && clinic_id !== undefined && clinic_id !== before.clinic_id)
        addError('clinic_id', {
          en: 'A patient stays in the clinic',
          de: 'Ein Patient bleibt in der Praxis',
        });
    },
  },
});
