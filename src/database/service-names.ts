/**
 * The names under which the service's own tables are stored, and everything that belongs to them. Code calls a table by
 * the name that describes it (`src/database/tables`); only what is sent to a database has the stored name.
 */

import { createHash } from 'node:crypto';
import { quoteName } from './quote.ts';
import type { FoundTable, ServiceNames } from './stored-names.ts';
import { keptColumns } from './tables/own-tables.ts';

export type { ServiceNames };

/** The beginning of names that a prefix replaces. */
const stem = /^gatewright_/;

/** Name of the triggers or functions that refuse writes while a database is moved, and of a table beside them. */
export const fenceName = 'gatewright_moved';

/** Name of a table at the destination of a move, with its progress. */
export const destinationMark = 'gatewright_moving';

/** Tables that are only there while a database is moved. */
const marks = [fenceName, destinationMark];

/** Every table of the service, as it is described. */
export const serviceTables: ReadonlySet<string> = new Set([...Object.keys(keptColumns), ...marks]);

/** Without its beginning `gatewright_migrations` would have this one's name. */
const applicationSteps = 'migrations';

const shortened = (name: string): string =>
  name === applicationSteps ? 'application_migrations' : name.replace(stem, '');

/** True if a table that was found has one of the quoted names. */
const isAmong = (quoted: Iterable<string>, { schema, name, isCurrentSchema }: FoundTable): boolean => {
  const own = new Set([...quoted].map((each) => each.toLowerCase()));
  const bare = quoteName(name).toLowerCase();
  const within = schema === undefined ? undefined : `${quoteName(schema)}.${quoteName(name)}`.toLowerCase();
  return (within !== undefined && own.has(within)) || (isCurrentSchema && own.has(bare));
};

const plainNames: ServiceNames = {
  prefix: undefined,
  schema: undefined,
  shown: (table) => table,
  quoted: quoteName,
  written: (table) => table,
  object: (name) => name,
  routine: (name) => name,
  channel: (name) => name,
  lock: String,
  described: (shown) => shown,
  isOwn: (table) => isAmong([...serviceTables].map(quoteName), table),
};

const prefixedNames = (prefix: string): ServiceNames => {
  const schema = prefix.endsWith('.') ? prefix.slice(0, -1) : undefined;
  const beginning = schema === undefined ? prefix : '';
  const within = (name: string): string =>
    schema === undefined ? quoteName(name) : `${quoteName(schema)}.${quoteName(name)}`;
  const object = (name: string): string => beginning + shortened(name);
  const quoted = (table: string): string =>
    serviceTables.has(table) ? within(object(table)) : quoteName(table);
  const described = new Map([...serviceTables].map((table) => [prefix + shortened(table), table]));
  return {
    prefix,
    schema,
    shown: (table) => (serviceTables.has(table) ? prefix + shortened(table) : table),
    quoted,
    written: quoted,
    object,
    routine: (name) => within(object(name)),
    channel: (name) => prefix + shortened(name),
    lock: (key) => String(key + BigInt(createHash('sha256').update(prefix).digest().readUInt32BE()) * 1000n),
    described: (shown) => described.get(shown) ?? (serviceTables.has(shown) ? undefined : shown),
    isOwn: (table) => isAmong([...serviceTables].map(quoted), table),
  };
};

/** Letters of a prefix, so that the longest name of an index still fits into the 63 of PostgreSQL. */
const longestPrefix = 24;

const reserved = /^(?:gatewright_search_|information_schema\.)/;

/** Why a text cannot begin the names of the service's tables; undefined where it can. */
export const prefixFlaw = (prefix: string): string | undefined => {
  if (prefix.length > longestPrefix) return `"${prefix}" is longer than ${longestPrefix} characters`;
  if (!/^[a-z][a-z0-9_]*[_.]$/.test(prefix))
    return `"${prefix}" is neither a prefix such as "gatewright_" nor a schema such as "gatewright."`;
  return reserved.test(prefix) ? `"${prefix}" begins names that the database or a search needs` : undefined;
};

const known = new Map<string, ServiceNames>();

/** The names for a prefix; today's without one. @throws TypeError for a text that is none */
export const serviceNames = (prefix?: string): ServiceNames => {
  if (prefix === undefined) return plainNames;
  const flaw = prefixFlaw(prefix);
  if (flaw !== undefined) throw new TypeError(`serviceTables: ${flaw}`);
  const names = known.get(prefix) ?? prefixedNames(prefix);
  known.set(prefix, names);
  return names;
};

const byAdapter = new WeakMap<object, ServiceNames>();

/** Remembers the names of a connection for migrations by the adapter that all its transactions share. */
export const withNames = <Adapter extends object>(adapter: Adapter, names: ServiceNames): Adapter => {
  byAdapter.set(adapter, names);
  return adapter;
};

/** The names on the connection of a migration. */
export const namesOn = (db: { getExecutor(): { readonly adapter: object } }): ServiceNames =>
  byAdapter.get(db.getExecutor().adapter) ?? plainNames;
