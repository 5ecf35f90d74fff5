import type { MigrationDatabase } from '../../../../src/database/migrations/migration.ts';
import { runAll } from '../../../../src/database/migrations/statements.ts';
import type { DialectName } from '../../../../src/database/name.ts';

/**
 * Ids of records by the kind of their model's key, from the contract alone. The numbers of 64 bits lie where doubles
 * hold only every second one; the texts are of digits, of letters that differ in their case, and of marks that mean
 * something in a path, in a list of values or in SQL.
 */

/** An id as JSON has it. */
export type Id = number | string;

export type KeyKind = 'integer' | 'uuid' | 'bigint' | 'text';
const keyKinds: readonly KeyKind[] = ['integer', 'text', 'bigint', 'uuid'];

/** The kinds of a world's models in turn: each world has all of them, and a model has another one in the next world. */
export const keyOfPlace = (world: number, place: number): KeyKind =>
  keyKinds[(world + place) % keyKinds.length] ?? 'integer';

/** An id that no record has. */
export const missing: Readonly<Record<KeyKind, Id>> = {
  integer: 999_999,
  bigint: '9007199254999999',
  uuid: '01890000-0000-7000-8000-ffffffffffff',
  text: 'none/of 9007199254740993',
};

/** Values of JSON that name no record of a kind, though they may be ids of another one. */
export const wrongIds: Readonly<Record<KeyKind, readonly (Id | boolean)[]>> = {
  integer: ['1', '9007199254740993', 'a', 0, true],
  bigint: [1, '01', '9223372036854775808', 'a', true],
  uuid: [1, '01890000-0000-7000-8000', 'a', true],
  text: [1, '', '..', ' a', 'batch', true],
};

const marks = [
  ...['7', '007', '9007199254740993', '9007199254740992', '-0', 'null', "O'Brien", 'a', 'A', 'a,b'],
  ...['\\', '\\,', 'a/b', '%2F', '%', '\u00e9', 'e\u0301', '\u{1f600}', '\uffff', '#?&+;', 'x "y"'],
];

/** The id that comes with a record, by its number; undefined where the database counts. */
export const idAt = (key: KeyKind, at: number): Id | undefined => {
  if (key === 'uuid') return `01890000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`;
  if (key !== 'text') return undefined;
  const text = marks[at % marks.length] ?? '';
  return at < marks.length ? text : `${text} ${at}`;
};

const order = (one: number | bigint, other: number | bigint): number => {
  if (one === other) return 0;
  return one < other ? -1 : 1;
};

/** An id for a record that is only tried, the more places behind all others the later it comes. */
export const idOfTry = (key: KeyKind, place: number): Id => {
  if (key === 'integer') return Number(missing.integer) + 1 + place;
  if (key === 'bigint') return String(BigInt(missing.bigint) + 1n + BigInt(place));
  return idAt(key, 2 ** 40 + place) ?? place;
};

/** The order of ids: numbers by their size, others by their bytes. */
export const compareIds = (key: KeyKind, one: Id, other: Id): number => {
  if (key === 'integer') return order(Number(one), Number(other));
  if (key === 'bigint') return order(BigInt(one), BigInt(other));
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
};

/** An id of a column that was read as text. */
export const storedId = (key: KeyKind, value: unknown): Id =>
  key === 'integer' ? Number(value) : String(value);

/** An id as a path has it. */
export const inPath = (id: Id): string => encodeURIComponent(id);

/** The ids of 64 bits that the database gives come after this one. */
const before = 9_007_199_254_740_988n;

/** An id behind those that the database has given. */
export const idBehind = (key: 'integer' | 'bigint', known: Iterable<Id>): Id => {
  const last = [...known].reduce((most, id) => (BigInt(id) > most ? BigInt(id) : most), 0n);
  const next = (key === 'bigint' && last < before ? before : last) + 1000n;
  return key === 'bigint' ? String(next) : Number(next);
};

/** Has the database count the ids of a table from there. */
export const countFromFar = (db: MigrationDatabase, dialect: DialectName, table: string): Promise<void> =>
  runAll(db, [
    dialect === 'postgres'
      ? `alter table "${table}" alter column id restart with ${before + 1n}`
      : `insert into sqlite_sequence (name, seq) values ('${table}', ${before})`,
  ]);
