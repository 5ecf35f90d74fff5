import { Ajv, addFormats } from '@feathersjs/schema';

const formats = [
  'date-time',
  'time',
  'date',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uuid',
];

export const dataValidator = addFormats(new Ajv({}), formats);
export const queryValidator = addFormats(new Ajv({ coerceTypes: true }), formats);
