import { boolean } from './boolean.ts';
import { date } from './date.ts';
import { datetime } from './datetime.ts';
import { decimal } from './decimal.ts';
import { email } from './email.ts';
import { enumeration } from './enum.ts';
import type { FieldType } from './field.ts';
import { file } from './file.ts';
import { integer } from './integer.ts';
import { json } from './json.ts';
import { number } from './number.ts';
import { reference } from './reference.ts';
import { sequence } from './sequence.ts';
import { string } from './string.ts';
import { text } from './text.ts';
import { time } from './time.ts';
import { url } from './url.ts';
import { uuid } from './uuid.ts';

/** All field types by name. To add one, write its file and list it here: everything else follows from the table. */
export const fieldTypes = {
  string,
  text,
  integer,
  number,
  decimal,
  boolean,
  date,
  datetime,
  time,
  enum: enumeration,
  json,
  email,
  url,
  uuid,
  reference,
  sequence,
  file,
} as const satisfies Readonly<Record<string, FieldType>>;

export type FieldKind = keyof typeof fieldTypes;

/** Names in the order of the table, for the generator's help and the reference pages. */
export const fieldKinds = Object.keys(fieldTypes) as readonly FieldKind[];
