/** Field types as lists, forms and filters of records treat them: a new type gets its line here. */

import type { FieldKind } from '../../../src/fields/registry.ts';
import type { Choice } from './metadata.ts';

/** Ways to compare a field in a filter, each with an input of its own. */
export type FilterKind = 'text' | 'number' | 'choice' | 'boolean' | 'date' | 'datetime';

interface FieldTraits {
  readonly filter: FilterKind;
  /** Numbers stand at the right of their column. */
  readonly align?: 'right';
  /** Its values take the whole width of forms and pages, and lists leave them out. */
  readonly long?: boolean;
  /** Its values are objects and arrays, shown and compared as formatted JSON. */
  readonly structured?: boolean;
  /** Its values say by themselves what they are: a card on a narrow screen shows them without their label. */
  readonly bare?: boolean;
  /** A list shows it before other fields, as the state of the record. */
  readonly state?: boolean;
  /** Its values can be the name of a record: a column and searches by name use them. */
  readonly naming?: boolean;
  /** Place in the first line of a record's page; absent where that line leaves it out. */
  readonly gist?: number;
  /** The value with which a form starts that asks for one; null where absent. */
  readonly initial?: (choices: readonly Choice[]) => unknown;
  /** Equality of values that have several spellings: `12.5` is `12.50`. Neither is null. */
  readonly isSame?: (one: unknown, other: unknown) => boolean;
}

const traits = {
  string: { filter: 'text', naming: true, bare: true },
  text: { filter: 'text', long: true },
  integer: { filter: 'number', align: 'right' },
  number: { filter: 'number', align: 'right' },
  decimal: {
    filter: 'number',
    align: 'right',
    gist: 3,
    isSame: (one, other) => Number(one) === Number(other),
  },
  boolean: { filter: 'boolean', state: true, initial: () => true },
  date: { filter: 'date' },
  datetime: {
    filter: 'datetime',
    isSame: (one, other) => Date.parse(String(one)) === Date.parse(String(other)),
  },
  time: { filter: 'text' },
  enum: { filter: 'choice', bare: true, state: true, gist: 1, initial: (choices) => choices[0]?.value },
  json: { filter: 'text', long: true, structured: true },
  email: { filter: 'text', naming: true, bare: true },
  url: { filter: 'text', bare: true },
  uuid: { filter: 'text' },
  reference: { filter: 'number', bare: true, gist: 2 },
  sequence: { filter: 'text', naming: true, bare: true },
  file: { filter: 'text' },
} as const satisfies Readonly<Record<FieldKind, FieldTraits>>;

/** The entry of a type in a table; the entry of `string` for a type of a newer service that this page does not know. */
export const ofKind = <Entry>(table: Readonly<Record<FieldKind, Entry>>, kind: FieldKind): Entry =>
  Object.hasOwn(table, kind) ? table[kind] : table.string;

/** The traits of a field's type. */
export const traitsOf = ({ type }: { readonly type: FieldKind }): FieldTraits =>
  ofKind<FieldTraits>(traits, type);
