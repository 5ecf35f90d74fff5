/**
 * Columns of other programs whose values statements read and write in a form of their own: enum types, `char`, `citext`
 * and `real` of PostgreSQL, and texts of times on SQLite. The model names the type of such a column (`table.types`), so
 * each form is in the words of the one database that has it.
 */

import { type RawBuilder, sql } from 'kysely';
import { timeForms } from '../model/stored-table.ts';

type Sql = RawBuilder<unknown>;

export interface StoredForm {
  /** The value of a column as statements compare and show it. */
  read(column: Sql): Sql;
  /** A value as the column takes it. */
  write(value: Sql): Sql;
  /** A value to compare with what is read, where the types of both would otherwise differ. */
  operand?(value: Sql): Sql;
  /** The condition that a value begins with a text, where its order is not that of code points. */
  startsWith?(value: Sql, text: Sql): Sql;
}

/** A value has one type in a statement, wherever it occurs. */
const asText = (value: Sql): Sql => sql`cast(${value} as text)`;

const asDouble = (value: Sql): Sql => sql`cast(${value} as double precision)`;

/** The quoted name of a type, with its schema if that is named. */
const typeName = (type: string): Sql => sql.id(...type.split('.'));

/** Blanks at the end do not count: the cast removes them, and the database adds them again. */
const char: StoredForm = { read: asText, write: (value) => value };

/** The least magnitude of which a number of 32 bits is not zero. PostgreSQL refuses a lesser one. */
const leastReal = sql.raw('7.1e-46');

/** As text it is the shortest decimal that names it; as a double of the same decimal it is compared and shown. */
const real: StoredForm = {
  read: (column) => asDouble(asText(column)),
  write: (value) =>
    sql`cast(case when abs(${asDouble(value)}) < ${leastReal} then 0 else ${asDouble(value)} end as real)`,
};

/** Values stay of their own type, which takes capitals and small letters for the same in each comparison. */
const caseless = (type: string): StoredForm => {
  const cast = (value: Sql): Sql => sql`cast(${asText(value)} as ${typeName(type)})`;
  return {
    read: (column) => column,
    write: cast,
    operand: cast,
    startsWith: (value, text) => sql`strpos(lower(${asText(value)}), lower(${asText(text)})) = 1`,
  };
};

/** Labels are compared and sorted as texts, like those of a field whose column is a text. */
const enumeration = (type: string): StoredForm => ({
  read: (column) => sql`(${asText(column)} collate "C")`,
  write: (value) => sql`cast(${asText(value)} as ${typeName(type)})`,
});

const digits = (count: number): string => '[0-9]'.repeat(count);

const day = `${digits(4)}-${digits(2)}-${digits(2)}`;
const clock = `${digits(2)}:${digits(2)}:${digits(2)}`;

/** Patterns of texts of times, for GLOB. */
export const timePatterns = {
  seconds: `${day} ${clock}`,
  microseconds: `${day} ${clock}.${digits(6)}`,
  own: `${day}T${clock}.${digits(3)}Z`,
} as const;

/** The parts of a second behind a time of the service, in microseconds. */
const microseconds = (value: Sql): Sql => sql`'.' || substr(${value}, 21, 3) || '000'`;

const endOf: Readonly<Record<string, (value: Sql) => Sql>> = {
  'YYYY-MM-DD HH:MM:SS': () => sql`''`,
  'YYYY-MM-DD HH:MM:SS.ffffff': microseconds,
  'YYYY-MM-DD HH:MM:SS[.ffffff]': (value) =>
    sql`iif(substr(${value}, 21, 3) = '000', '', ${microseconds(value)})`,
};

/** A text of another form stays as it is. */
const readTime = (column: Sql): Sql => {
  const second = sql`substr(${column}, 1, 10) || 'T' || substr(${column}, 12, 8)`;
  const fraction = sql`substr(substr(${column}, 21, 3) || '000', 1, 3)`;
  const isTime = sql`${column} glob ${sql.lit(`${timePatterns.seconds}*`)}`;
  return sql`iif(${isTime}, ${second} || '.' || ${fraction} || 'Z', ${column})`;
};

const time = (form: string): StoredForm => {
  const end = endOf[form];
  return end === undefined
    ? { read: (column) => column, write: (value) => value }
    : {
        read: readTime,
        write: (value) => sql`(substr(${value}, 1, 10) || ' ' || substr(${value}, 12, 8) || ${end(value)})`,
      };
};

const made = new Map<string, StoredForm>();

const makeForm = (type: string): StoredForm => {
  if (type === 'char') return char;
  if (type === 'real') return real;
  if (timeForms.includes(type)) return time(type);
  return /(?:^|\.)citext$/.test(type) ? caseless(type) : enumeration(type);
};

/** The form of a column by its type, as a model names it. */
export const storedForm = (type: string): StoredForm => {
  const form = made.get(type) ?? makeForm(type);
  made.set(type, form);
  return form;
};
