import { defineResource, field, member, own } from 'gatewright';
import staff from './staff.ts';

/** A tenant. Everyone sees its name, in order to book there. */
export default defineResource('Clinic', {
  label: { en: 'Clinic', de: 'Praxis' },
  icon: 'building',
  fields: {
    name: field.string({ required: true, max: 80, label: { en: 'Name', de: 'Name' } }),
    user_id: field.owner({ label: { en: 'Created by', de: 'Angelegt von' } }),
  },
  auth: ['jwt', 'api_key'],
  ownership: true,
  isolation: {
    read: 'everyone',
    create: own(),
    write: member('id', { of: staff, on: 'clinic_id', where: { role: 'owner' } }),
  },
  hooks: {
    /** The creator of a clinic becomes its first owner: both are written, or neither. */
    async beforeCommit({ before, after, id, asSystem }) {
      if (before !== undefined || after === undefined || after.user_id === null) return;
      const { records } = asSystem('first owner of a new clinic');
      const creator = await records('User').find(after.user_id);
      const email = creator?.email ?? `user-${after.user_id}@example.invalid`;
      await records(staff).create({ clinic_id: id, user_id: after.user_id, email, role: 'owner' });
    },
  },
});
