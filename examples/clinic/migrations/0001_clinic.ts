import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = async (db, dialect) => {
  await createTable(db, dialect, 'clinics', {
    fields: {
      name: field.string({ required: true, max: 80 }),
      user_id: field.owner(),
    },
  });
  await createTable(db, dialect, 'doctors', {
    fields: {
      clinic_id: field.reference('Clinic', { required: true, onDelete: 'cascade' }),
      name: field.string({ required: true, max: 80 }),
      specialty: field.string({ max: 80 }),
    },
  });
  await createTable(db, dialect, 'patients', {
    fields: {
      clinic_id: field.reference('Clinic', { required: true, onDelete: 'cascade' }),
      given_name: field.string({ required: true, max: 80 }),
      family_name: field.string({ required: true, max: 80 }),
      birthday: field.date(),
      email: field.email({ required: true }),
      language: field.enum(['en', 'de'], { required: true }),
      medical_note: field.text({ max: 20000 }),
      user_id: field.owner(),
    },
    unique: [['user_id', 'clinic_id']],
    search: ['family_name', 'given_name'],
  });
  await createTable(db, dialect, 'staff_members', {
    model: 'Staff',
    fields: {
      clinic_id: field.reference('Clinic', { required: true, onDelete: 'cascade' }),
      role: field.enum(['reception', 'doctor', 'owner'], { required: true, default: 'reception' }),
      email: field.email({ required: true }),
      user_id: field.owner({ shows: ['name'] }),
    },
    unique: [['user_id', 'clinic_id']],
  });
  await createTable(db, dialect, 'treatments', {
    fields: {
      clinic_id: field.reference('Clinic', { required: true, onDelete: 'cascade' }),
      name: field.string({ required: true, max: 80 }),
      price: field.decimal({ required: true, min: 0 }),
    },
  });
  await createTable(db, dialect, 'appointments', {
    fields: {
      clinic_id: field.reference('Clinic', { required: true, onDelete: 'cascade' }),
      patient_id: field.reference('Patient', { required: true, same: 'clinic' }),
      doctor_id: field.reference('Doctor', { required: true, same: 'clinic' }),
      treatment_id: field.reference('Treatment', { required: true, same: 'clinic' }),
      starts_at: field.datetime({ required: true, index: true }),
      state: field.enum(['booked', 'kept', 'cancelled'], { required: true, default: 'booked' }),
      slot: field.datetime(),
      reminded_at: field.datetime(),
    },
    unique: [['doctor_id', 'slot']],
  });
  await createTable(db, dialect, 'invoices', {
    fields: {
      clinic_id: field.reference('Clinic', { required: true }),
      patient_id: field.reference('Patient', { required: true, same: 'clinic' }),
      appointment_id: field.reference('Appointment', { required: true, same: 'clinic', unique: true }),
      number: field.sequence({ per: 'clinic', format: '{year}-{n:4}', zone: 'Europe/Berlin' }),
      amount: field.decimal({ required: true, min: 0 }),
    },
    unique: [['clinic_id', 'number']],
  });
};
