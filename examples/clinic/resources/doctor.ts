import { defineResource, field } from 'gatewright';
import { isOwner } from '../rules.ts';
import { ofClinic } from '../tenant.ts';

/** A doctor with whom patients book. */
export default defineResource('Doctor', {
  label: { en: 'Doctor', de: 'Arzt' },
  icon: 'person',
  fields: {
    ...ofClinic,
    name: field.string({ required: true, max: 80, label: { en: 'Name', de: 'Name' } }),
    specialty: field.string({ max: 80, label: { en: 'Specialty', de: 'Fachgebiet' } }),
  },
  auth: ['jwt', 'api_key'],
  isolation: { read: 'everyone', write: isOwner },
});
