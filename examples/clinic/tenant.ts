import { field } from 'gatewright';

/** The tenant of a record. */
export const ofClinic = {
  clinic: field.reference('Clinic', {
    required: true,
    onDelete: 'cascade',
    label: { en: 'Clinic', de: 'Praxis' },
  }),
} as const;

/** Of a reference: it names a record of the same clinic. */
export const inClinic = { required: true, same: 'clinic' } as const;

/** The time zone of the clinics: of the times in their mails, and of the year of their invoices. */
export const zone = 'Europe/Berlin';
