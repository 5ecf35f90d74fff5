import { anyOf, defineResource, field, member, own } from 'gatewright';
import { ofClinic } from '../tenant.ts';

const isOwner = member('clinic_id', { of: 'Staff', where: { role: 'owner' } });

/** Persons who work in a clinic, each with a role. The right to write them decides about all access. */
export default defineResource('Staff', {
  plural: 'staff_members',
  singular: 'staff_member',
  label: { en: 'Staff member', de: 'Mitarbeiter' },
  icon: 'people',
  display: '{email}',
  fields: {
    ...ofClinic,
    role: field.enum(['reception', 'doctor', 'owner'], {
      required: true,
      default: 'reception',
      label: { en: 'Role', de: 'Rolle' },
      labels: {
        reception: { en: 'reception', de: 'Empfang' },
        doctor: { en: 'doctor', de: 'Arzt' },
        owner: { en: 'owner', de: 'Inhaber' },
      },
    }),
    email: field.email({ required: true, label: { en: 'Address', de: 'Adresse' } }),
    user_id: field.owner({ shows: ['name'], label: { en: 'User', de: 'Benutzer' } }),
  },
  auth: ['jwt', 'api_key'],
  // In this order it is also the index by which rules find the clinics of a caller.
  unique: [['user_id', 'clinic_id']],
  // Set by the address: with ids a caller could try all users and see their names.
  restricted: ['user_id'],
  isolation: { read: anyOf(own(), isOwner), write: isOwner },
  hooks: {
    async beforeSave({ values, principal, asSystem, addError }) {
      if (principal.kind === 'system' || typeof values.email !== 'string') return;
      const user = await asSystem('new member of staff').records('User').findByAccount(values.email);
      if (user === undefined)
        addError('email', { en: 'No user has this address', de: 'Kein Benutzer hat diese Adresse' });
      else Object.assign(values, { email: user.email, user_id: user.id });
    },
  },
});
