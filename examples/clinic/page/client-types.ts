// Written by `gatewright generate client`: run it again after a change of the models.

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

type Operand<Value, Operator> = Operator extends 'null'
  ? boolean
  : Operator extends 'in'
    ? readonly Value[]
    : Operator extends 'like' | 'starts_with'
      ? string
      : Value;

type Condition<Value, Operator extends string> =
  | ('eq' extends Operator ? Value : never)
  | { readonly [Name in Operator]?: Operand<Value, Name> };

type Sorted<Name extends string> = Name | `-${Name}`;

/** Users of the service as targets of relations. */
interface RelatedUser {
  record: { id: number; username: string; email: string | null; name: string; roles: readonly string[] };
  shown: 'id' | 'username' | 'email' | 'name' | 'roles';
  filter: {
    readonly id?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
    readonly username?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
    readonly email?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
    readonly name?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
  };
  sort: 'id' | 'username' | 'email' | 'name';
  relations: object;
}

/** Users of whom a record shows its readers these fields. */
interface ShownUser<Name extends 'username' | 'email' | 'name'> {
  record: Pick<RelatedUser['record'], 'id' | Name>;
  shown: 'id' | Name;
  filter: Pick<RelatedUser['filter'], 'id' | Name>;
  sort: 'id' | Name;
  relations: object;
}

interface ToOne<To> {
  many: false;
  to: To;
}

interface ResourceName<Source> {
  readonly singular: string;
  readonly relations?: Readonly<Record<string, { readonly resource: string; readonly write?: boolean }>>;
  readonly source?: Source;
}

interface OperationName<Source> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: boolean;
  readonly key?: string;
  readonly list?: boolean;
  readonly source?: Source;
}

/** The resources by their paths: what lists and single records answer, what writes take, filters and sort orders. */
export interface Resources {
  /** Appointment */
  appointments: {
    listed: {
      id: number;
      clinic_id: number;
      patient_id: number;
      doctor_id: number;
      treatment_id: number;
      starts_at: string;
      state: 'booked' | 'kept' | 'cancelled';
      slot: string | null;
      reminded_at: string | null;
      created_at: string;
      updated_at: string;
      version?: number;
    };
    record: {
      id: number;
      clinic_id: number;
      patient_id: number;
      doctor_id: number;
      treatment_id: number;
      starts_at: string;
      state: 'booked' | 'kept' | 'cancelled';
      slot: string | null;
      reminded_at: string | null;
      created_at: string;
      updated_at: string;
    };
    saved: {
      id: number;
      clinic_id: number;
      patient_id: number;
      doctor_id: number;
      treatment_id: number;
      starts_at: string;
      state: 'booked' | 'kept' | 'cancelled';
      slot: string | null;
      reminded_at: string | null;
      created_at: string;
      updated_at: string;
    };
    create: {
      clinic_id: number;
      patient_id: number;
      doctor_id: number;
      treatment_id: number;
      starts_at: string;
      state?: 'booked' | 'kept' | 'cancelled';
      slot?: string | null;
      reminded_at?: string | null;
    };
    update: {
      clinic_id?: number;
      patient_id?: number;
      doctor_id?: number;
      treatment_id?: number;
      starts_at?: string;
      state?: 'booked' | 'kept' | 'cancelled';
      slot?: string | null;
      reminded_at?: string | null;
    };
    filter: {
      readonly id?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly clinic_id?: Condition<number, 'eq' | 'ne' | 'in' | 'null'>;
      readonly patient_id?: Condition<number, 'eq' | 'ne' | 'in' | 'null'>;
      readonly doctor_id?: Condition<number, 'eq' | 'ne' | 'in' | 'null'>;
      readonly treatment_id?: Condition<number, 'eq' | 'ne' | 'in' | 'null'>;
      readonly starts_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly state?: Condition<'booked' | 'kept' | 'cancelled', 'eq' | 'ne' | 'in' | 'null'>;
      readonly slot?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly reminded_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly created_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly updated_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
    };
    sort: Sorted<'id' | 'clinic_id' | 'patient_id' | 'doctor_id' | 'treatment_id' | 'starts_at' | 'state' | 'slot' | 'reminded_at' | 'created_at' | 'updated_at'>;
    events: true;
    relations: {
      clinic: ToOne<Related['clinics']>;
      patient: ToOne<Related['patients']>;
      doctor: ToOne<Related['doctors']>;
      treatment: ToOne<Related['treatments']>;
    };
  };
  /** Clinic */
  clinics: {
    listed: {
      id: number;
      name: string;
      user_id: number | null;
      created_at: string;
      updated_at: string;
      version?: number;
    };
    record: {
      id: number;
      name: string;
      user_id: number | null;
      created_at: string;
      updated_at: string;
    };
    saved: {
      id: number;
      name: string;
      user_id: number | null;
      created_at: string;
      updated_at: string;
    };
    create: {
      name: string;
      user_id?: number | null;
    };
    update: {
      name?: string;
      user_id?: number | null;
    };
    filter: {
      readonly id?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly name?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly user_id?: Condition<number, 'eq' | 'ne' | 'in' | 'null'>;
      readonly created_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly updated_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
    };
    sort: Sorted<'id' | 'name' | 'user_id' | 'created_at' | 'updated_at'>;
    events: false;
    relations: {
      user: ToOne<RelatedUser>;
    };
  };
  /** Doctor */
  doctors: {
    listed: {
      id: number;
      clinic_id: number;
      name: string;
      specialty: string | null;
      created_at: string;
      updated_at: string;
      version?: number;
    };
    record: {
      id: number;
      clinic_id: number;
      name: string;
      specialty: string | null;
      created_at: string;
      updated_at: string;
    };
    saved: {
      id: number;
      clinic_id: number;
      name: string;
      specialty: string | null;
      created_at: string;
      updated_at: string;
    };
    create: {
      clinic_id: number;
      name: string;
      specialty?: string | null;
    };
    update: {
      clinic_id?: number;
      name?: string;
      specialty?: string | null;
    };
    filter: {
      readonly id?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly clinic_id?: Condition<number, 'eq' | 'ne' | 'in' | 'null'>;
      readonly name?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly specialty?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly created_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly updated_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
    };
    sort: Sorted<'id' | 'clinic_id' | 'name' | 'specialty' | 'created_at' | 'updated_at'>;
    events: false;
    relations: {
      clinic: ToOne<Related['clinics']>;
    };
  };
  /** Invoice */
  invoices: {
    listed: {
      id: number;
      clinic_id: number;
      patient_id: number;
      appointment_id: number;
      number: string | null;
      amount: string;
      created_at: string;
      updated_at: string;
      version?: number;
    };
    record: {
      id: number;
      clinic_id: number;
      patient_id: number;
      appointment_id: number;
      number: string | null;
      amount: string;
      created_at: string;
      updated_at: string;
    };
    saved: {
      id: number;
      clinic_id: number;
      patient_id: number;
      appointment_id: number;
      number: string | null;
      amount: string;
      created_at: string;
      updated_at: string;
    };
    create: {
      clinic_id: number;
      patient_id: number;
      appointment_id: number;
      amount: string | number;
    };
    update: {
      patient_id?: number;
      appointment_id?: number;
      amount?: string | number;
    };
    filter: {
      readonly id?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly clinic_id?: Condition<number, 'eq' | 'ne' | 'in' | 'null'>;
      readonly patient_id?: Condition<number, 'eq' | 'ne' | 'in' | 'null'>;
      readonly appointment_id?: Condition<number, 'eq' | 'ne' | 'in' | 'null'>;
      readonly number?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly amount?: Condition<string | number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly created_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly updated_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
    };
    sort: Sorted<'id' | 'clinic_id' | 'patient_id' | 'appointment_id' | 'number' | 'amount' | 'created_at' | 'updated_at'>;
    events: false;
    relations: {
      clinic: ToOne<Related['clinics']>;
      patient: ToOne<Related['patients']>;
      appointment: ToOne<Related['appointments']>;
    };
  };
  /** Patient */
  patients: {
    listed: {
      id: number;
      clinic_id: number;
      given_name: string;
      family_name: string;
      birthday: string | null;
      email: string;
      language: 'en' | 'de';
      medical_note?: string | null;
      user_id: number | null;
      created_at: string;
      updated_at: string;
      version?: number;
    };
    record: {
      id: number;
      clinic_id: number;
      given_name: string;
      family_name: string;
      birthday: string | null;
      email: string;
      language: 'en' | 'de';
      medical_note?: string | null;
      user_id: number | null;
      created_at: string;
      updated_at: string;
    };
    saved: {
      id: number;
      clinic_id: number;
      given_name: string;
      family_name: string;
      birthday: string | null;
      email: string;
      language: 'en' | 'de';
      medical_note?: string | null;
      user_id: number | null;
      created_at: string;
      updated_at: string;
    };
    create: {
      clinic_id: number;
      given_name: string;
      family_name: string;
      birthday?: string | null;
      email: string;
      language: 'en' | 'de';
      medical_note?: string | null;
      user_id?: number | null;
    };
    update: {
      clinic_id?: number;
      given_name?: string;
      family_name?: string;
      birthday?: string | null;
      email?: string;
      language?: 'en' | 'de';
      medical_note?: string | null;
      user_id?: number | null;
    };
    filter: {
      readonly id?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly clinic_id?: Condition<number, 'eq' | 'ne' | 'in' | 'null'>;
      readonly given_name?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly family_name?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly birthday?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly email?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly language?: Condition<'en' | 'de', 'eq' | 'ne' | 'in' | 'null'>;
      readonly medical_note?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly user_id?: Condition<number, 'eq' | 'ne' | 'in' | 'null'>;
      readonly created_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly updated_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
    };
    sort: Sorted<'id' | 'clinic_id' | 'given_name' | 'family_name' | 'birthday' | 'email' | 'language' | 'medical_note' | 'user_id' | 'created_at' | 'updated_at'>;
    events: true;
    relations: {
      clinic: ToOne<Related['clinics']>;
      user: ToOne<RelatedUser>;
    };
  };
  /** Staff */
  staff_members: {
    listed: {
      id: number;
      clinic_id: number;
      role: 'reception' | 'doctor' | 'owner';
      email: string;
      user_id: number | null;
      created_at: string;
      updated_at: string;
      version?: number;
    };
    record: {
      id: number;
      clinic_id: number;
      role: 'reception' | 'doctor' | 'owner';
      email: string;
      user_id: number | null;
      created_at: string;
      updated_at: string;
    };
    saved: {
      id: number;
      clinic_id: number;
      role: 'reception' | 'doctor' | 'owner';
      email: string;
      user_id: number | null;
      created_at: string;
      updated_at: string;
    };
    create: {
      clinic_id: number;
      role?: 'reception' | 'doctor' | 'owner';
      email: string;
      user_id?: number | null;
    };
    update: {
      clinic_id?: number;
      role?: 'reception' | 'doctor' | 'owner';
      email?: string;
      user_id?: number | null;
    };
    filter: {
      readonly id?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly clinic_id?: Condition<number, 'eq' | 'ne' | 'in' | 'null'>;
      readonly role?: Condition<'reception' | 'doctor' | 'owner', 'eq' | 'ne' | 'in' | 'null'>;
      readonly email?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly user_id?: Condition<number, 'eq' | 'ne' | 'in' | 'null'>;
      readonly created_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly updated_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
    };
    sort: Sorted<'id' | 'clinic_id' | 'role' | 'email' | 'user_id' | 'created_at' | 'updated_at'>;
    events: false;
    relations: {
      clinic: ToOne<Related['clinics']>;
      user: ToOne<ShownUser<'name'>>;
    };
  };
  /** Treatment */
  treatments: {
    listed: {
      id: number;
      clinic_id: number;
      name: string;
      price: string;
      created_at: string;
      updated_at: string;
      version?: number;
    };
    record: {
      id: number;
      clinic_id: number;
      name: string;
      price: string;
      created_at: string;
      updated_at: string;
    };
    saved: {
      id: number;
      clinic_id: number;
      name: string;
      price: string;
      created_at: string;
      updated_at: string;
    };
    create: {
      clinic_id: number;
      name: string;
      price: string | number;
    };
    update: {
      clinic_id?: number;
      name?: string;
      price?: string | number;
    };
    filter: {
      readonly id?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly clinic_id?: Condition<number, 'eq' | 'ne' | 'in' | 'null'>;
      readonly name?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly price?: Condition<string | number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly created_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly updated_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
    };
    sort: Sorted<'id' | 'clinic_id' | 'name' | 'price' | 'created_at' | 'updated_at'>;
    events: false;
    relations: {
      clinic: ToOne<Related['clinics']>;
    };
  };
}

/** Records as relations lead to them: what can be chosen, what is answered unless it is, filters and sort orders. */
export interface Related {
  appointments: {
    record: Resources['appointments']['record'];
    shown: 'id' | 'clinic_id' | 'patient_id' | 'doctor_id' | 'treatment_id' | 'starts_at' | 'state' | 'slot' | 'reminded_at' | 'created_at' | 'updated_at';
    filter: Resources['appointments']['filter'];
    sort: 'id' | 'clinic_id' | 'patient_id' | 'doctor_id' | 'treatment_id' | 'starts_at' | 'state' | 'slot' | 'reminded_at' | 'created_at' | 'updated_at';
    relations: Resources['appointments']['relations'];
  };
  clinics: {
    record: Resources['clinics']['record'];
    shown: 'id' | 'name' | 'user_id' | 'created_at' | 'updated_at';
    filter: Resources['clinics']['filter'];
    sort: 'id' | 'name' | 'user_id' | 'created_at' | 'updated_at';
    relations: Resources['clinics']['relations'];
  };
  doctors: {
    record: Resources['doctors']['record'];
    shown: 'id' | 'clinic_id' | 'name' | 'specialty' | 'created_at' | 'updated_at';
    filter: Resources['doctors']['filter'];
    sort: 'id' | 'clinic_id' | 'name' | 'specialty' | 'created_at' | 'updated_at';
    relations: Resources['doctors']['relations'];
  };
  patients: {
    record: Resources['patients']['record'];
    shown: 'id' | 'clinic_id' | 'given_name' | 'family_name' | 'birthday' | 'email' | 'language' | 'medical_note' | 'user_id' | 'created_at' | 'updated_at';
    filter: Resources['patients']['filter'];
    sort: 'id' | 'clinic_id' | 'given_name' | 'family_name' | 'birthday' | 'email' | 'language' | 'medical_note' | 'user_id' | 'created_at' | 'updated_at';
    relations: Resources['patients']['relations'];
  };
  treatments: {
    record: Resources['treatments']['record'];
    shown: 'id' | 'clinic_id' | 'name' | 'price' | 'created_at' | 'updated_at';
    filter: Resources['treatments']['filter'];
    sort: 'id' | 'clinic_id' | 'name' | 'price' | 'created_at' | 'updated_at';
    relations: Resources['treatments']['relations'];
  };
}

/** For `createClient({ baseUrl, auth, resources })`. */
export const resources: { readonly [Path in keyof Resources]: ResourceName<Resources[Path]> } = {
  appointments: { singular: 'appointment', relations: { clinic: { resource: 'clinics' }, patient: { resource: 'patients' }, doctor: { resource: 'doctors' }, treatment: { resource: 'treatments' } } },
  clinics: { singular: 'clinic', relations: { user: { resource: 'users' } } },
  doctors: { singular: 'doctor', relations: { clinic: { resource: 'clinics' } } },
  invoices: { singular: 'invoice', relations: { clinic: { resource: 'clinics' }, patient: { resource: 'patients' }, appointment: { resource: 'appointments' } } },
  patients: { singular: 'patient', relations: { clinic: { resource: 'clinics' }, user: { resource: 'users' } } },
  staff_members: { singular: 'staff_member', relations: { clinic: { resource: 'clinics' }, user: { resource: 'users' } } },
  treatments: { singular: 'treatment', relations: { clinic: { resource: 'clinics' } } },
};

interface EndpointName<Source> {
  readonly accepts?: 'form' | 'multipart' | 'bytes';
  readonly raw?: boolean;
  readonly source?: Source;
}

/** The application's own endpoints by method and path: types of their requests and responses. */
export interface Endpoints {
  /**
   * Cancel an appointment
   * Refused by `code`: 40951 The appointment is not booked · 40950 The appointment has begun
   */
  'POST /appointments/:id/cancel': {
    params: {
      id: number;
    };
    body: { readonly [key: string]: Json };
    answer: {
      id: number;
      clinic_id: number;
      patient_id: number;
      doctor_id: number;
      treatment_id: number;
      starts_at: string;
      state: 'booked' | 'kept' | 'cancelled';
      slot: string | null;
      reminded_at: string | null;
      created_at: string;
      updated_at: string;
    };
  };
  /**
   * Invoice an appointment
   * Refused by `code`: 40951 The appointment is not booked
   */
  'POST /appointments/:id/invoice': {
    params: {
      id: number;
    };
    body: { readonly [key: string]: Json };
    answer: {
      id: number;
      clinic_id: number;
      patient_id: number;
      appointment_id: number;
      number: string | null;
      amount: string;
      created_at: string;
      updated_at: string;
    };
  };
}

/** For `createClient({ baseUrl, auth, resources, endpoints })`. */
export const endpoints: { readonly [Name in keyof Endpoints]: EndpointName<Endpoints[Name]> } = {
  'POST /appointments/:id/cancel': {},
  'POST /appointments/:id/invoice': {},
};

/** The webhooks of the caller, by the names of the calls: types of their requests and responses. */
export interface Webhooks {
  /** My webhooks */
  list: {
    ids: [];
    listed: {
      id: number;
      url: string;
      models: string[];
      actions: ('create' | 'update' | 'destroy')[];
      disabled: boolean;
      disabled_reason: 'by_hand' | 'by_owner' | 'failed' | 'gone' | 'secret_unreadable' | 'no_user' | null;
      disabled_at: string | null;
      previous_until: string | null;
      failures: number;
      paused_until: string | null;
      failure_status: number | null;
      failure_error: string | null;
      waiting: number;
      last_outcome: 'delivered' | 'failed' | 'skipped' | null;
      created_at: string;
      updated_at: string;
      failure_body: string | null;
    };
    filter: {
      readonly id?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly url?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly disabled?: Condition<boolean, 'eq' | 'ne' | 'null'>;
      readonly disabled_reason?: Condition<'by_hand' | 'by_owner' | 'failed' | 'gone' | 'secret_unreadable' | 'no_user', 'eq' | 'ne' | 'in' | 'null'>;
      readonly disabled_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly previous_until?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly failures?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly created_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly updated_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
    };
    sort: Sorted<'id' | 'url' | 'disabled' | 'disabled_reason' | 'disabled_at' | 'previous_until' | 'failures' | 'created_at' | 'updated_at'>;
  };
  /** Show one of my webhooks */
  get: {
    ids: [id: number];
    answer: Webhooks['list']['listed'];
  };
  /** Create a webhook */
  create: {
    ids: [];
    body: {
      url: string;
      models: string[];
      actions?: ('create' | 'update' | 'destroy')[];
    };
    answer: {
      id: number;
      url: string;
      models: string[];
      actions: ('create' | 'update' | 'destroy')[];
      disabled: boolean;
      disabled_reason: 'by_hand' | 'by_owner' | 'failed' | 'gone' | 'secret_unreadable' | 'no_user' | null;
      disabled_at: string | null;
      previous_until: string | null;
      failures: number;
      paused_until: string | null;
      failure_status: number | null;
      failure_error: string | null;
      waiting: number;
      last_outcome: 'delivered' | 'failed' | 'skipped' | null;
      created_at: string;
      updated_at: string;
      failure_body: string | null;
      secret: string;
    };
  };
  /** Change a webhook */
  update: {
    ids: [id: number];
    body: {
      url?: string;
      disabled?: boolean;
      models?: string[];
      actions?: ('create' | 'update' | 'destroy')[];
    };
    answer: Webhooks['list']['listed'];
  };
  /** Delete a webhook */
  delete: {
    ids: [id: number];
    answer: undefined;
  };
  /** Give a webhook another secret */
  rotate: {
    ids: [id: number];
    body?: {
      overlap?: number | null;
    };
    answer: {
      secret: string;
      previous_until: string | null;
    };
  };
  /** Send a test message */
  test: {
    ids: [id: number];
    answer: {
      delivered: boolean;
      status: number | null;
      duration: number;
      error: string | null;
      body: string | null;
    };
  };
  /** Deliveries of a webhook */
  deliveries: {
    ids: [id: number];
    listed: {
      id: number;
      message_id: string;
      event: number;
      model: string;
      record_id: number;
      action: 'create' | 'update' | 'destroy';
      version: number;
      state: 'waiting' | 'delivered' | 'failed' | 'skipped';
      attempts: number;
      next_at: string | null;
      sending: boolean;
      status: number | null;
      duration: number | null;
      error: string | null;
      withheld: boolean;
      request_headers: { readonly [key: string]: Json } | null;
      request_body: string | null;
      response_headers: { readonly [key: string]: Json } | null;
      response_body: string | null;
      created_at: string;
      attempted_at: string | null;
      ended_at: string | null;
    };
    filter: {
      readonly id?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly message_id?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly event?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly model?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly record_id?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly action?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly version?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly state?: Condition<'waiting' | 'delivered' | 'failed' | 'skipped', 'eq' | 'ne' | 'in' | 'null'>;
      readonly attempts?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly next_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly sending?: Condition<boolean, 'eq' | 'ne' | 'null'>;
      readonly status?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly duration?: Condition<number, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly error?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null' | 'like' | 'starts_with'>;
      readonly withheld?: Condition<boolean, 'eq' | 'ne' | 'null'>;
      readonly created_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly attempted_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
      readonly ended_at?: Condition<string, 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'null'>;
    };
    sort: Sorted<'id' | 'message_id' | 'event' | 'model' | 'record_id' | 'action' | 'version' | 'state' | 'attempts' | 'next_at' | 'sending' | 'status' | 'duration' | 'error' | 'withheld' | 'created_at' | 'attempted_at' | 'ended_at'>;
  };
  /** Show a delivery of a webhook */
  delivery: {
    ids: [id: number, delivery: number];
    answer: {
      id: number;
      message_id: string;
      event: number;
      model: string;
      record_id: number;
      action: 'create' | 'update' | 'destroy';
      version: number;
      state: 'waiting' | 'delivered' | 'failed' | 'skipped';
      attempts: number;
      next_at: string | null;
      sending: boolean;
      status: number | null;
      duration: number | null;
      error: string | null;
      withheld: boolean;
      request_headers: { readonly [key: string]: Json } | null;
      request_body: string | null;
      response_headers: { readonly [key: string]: Json } | null;
      response_body: string | null;
      created_at: string;
      attempted_at: string | null;
      ended_at: string | null;
    };
  };
  /** Try a webhook at once */
  try: {
    ids: [id: number];
    answer: undefined;
  };
  /** Send a delivery again */
  resend: {
    ids: [id: number, delivery: number];
    answer: undefined;
  };
}

/** For `createClient({ baseUrl, auth, webhooks })`. */
export const webhooks: { readonly [Name in keyof Webhooks]: OperationName<Webhooks[Name]> } = {
  list: { method: 'GET', path: '/webhooks', list: true },
  get: { method: 'GET', path: '/webhooks/:id' },
  create: { method: 'POST', path: '/webhooks', body: true, key: 'webhook' },
  update: { method: 'PATCH', path: '/webhooks/:id', body: true, key: 'webhook' },
  delete: { method: 'DELETE', path: '/webhooks/:id' },
  rotate: { method: 'POST', path: '/webhooks/:id/rotate', body: true },
  test: { method: 'POST', path: '/webhooks/:id/test' },
  deliveries: { method: 'GET', path: '/webhooks/:id/deliveries', list: true },
  delivery: { method: 'GET', path: '/webhooks/:id/deliveries/:delivery' },
  try: { method: 'POST', path: '/webhooks/:id/try' },
  resend: { method: 'POST', path: '/webhooks/:id/deliveries/:delivery/resend' },
};
