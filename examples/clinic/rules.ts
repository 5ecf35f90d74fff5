import { member } from 'gatewright';
import staff from './resources/staff.ts';

/** The record's field clinic_id names a clinic in which the caller works. */
export const isStaff = member('clinic_id', { of: staff });
export const isDoctor = member('clinic_id', { of: staff, where: { role: 'doctor' } });
export const isOwner = member('clinic_id', { of: staff, where: { role: 'owner' } });
