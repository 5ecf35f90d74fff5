/** The marks of a move in both databases: destination and state at the source, progress at the destination. */

import type { Ask, Tables } from '../../../database/introspection.ts';
import { quoteText } from '../../../database/quote.ts';
import type { ServiceNames } from '../../../database/service-names.ts';
import { destinationMark, fenceName } from '../../../database/service-names.ts';

/**
 * The marks of a move in both databases. The source has a table with its destination, beside the triggers that refuse
 * writes; the destination has one with the progress, until the move is complete. Neither is a table of the service: a
 * database that is not being moved has none of them.
 */
export const sourceMark = fenceName;

/** True if a table belongs to the move itself; it is not copied. */
export const isMark = (table: string): boolean => table === sourceMark || table === destinationMark;

export interface SourceMark {
  readonly id: string;
  /** The destination without its password. */
  readonly destination: string;
  readonly state: 'moving' | 'moved';
  /** Start of the move. */
  readonly since: string;
}

export const readSourceMark = async (
  ask: Ask,
  tables: Tables,
  names: ServiceNames,
): Promise<SourceMark | undefined> => {
  if (!tables.has(sourceMark)) return undefined;
  const [row] = await ask<SourceMark>(
    `select id, destination, state, since from ${names.quoted(sourceMark)}`,
  );
  return row;
};

export const insertSourceMark = (
  { id, destination, state, since }: SourceMark,
  names: ServiceNames,
): readonly string[] => [
  `create table ${names.quoted(sourceMark)} (id text not null, destination text not null, state text not null, since text not null)`,
  `insert into ${names.quoted(sourceMark)} (id, destination, state, since)
    values (${[id, destination, state, since].map(quoteText).join(', ')})`,
];

export const setSourceState = (state: SourceMark['state'], names: ServiceNames): string =>
  `update ${names.quoted(sourceMark)} set state = ${quoteText(state)}`;

export const dropMark = (table: string, names: ServiceNames): string => `drop table ${names.quoted(table)}`;

/** State of the destination: created and empty; being filled; complete, with everything restored. */
export type Phase = 'made' | 'filling' | 'filled';

/** Progress of a table. */
export interface MovePlace {
  readonly rows: number;
  /** The last copied id, where rows are ordered by a numeric id. */
  readonly after: string | undefined;
  readonly done: boolean;
}

/** The mark of the destination, written in the same transactions as the progress that it records. */
export interface DestinationMark {
  readonly id: string;
  readonly phase: Phase;
  readonly places: ReadonlyMap<string, MovePlace>;
  /** Statements that restore constraints and triggers after the copy, in order. */
  readonly restores: readonly string[];
}

interface MarkEntry {
  readonly kind: 'id' | 'phase' | 'place' | 'restore';
  readonly name: string;
  readonly value: string;
}

export const createDestinationMark = (names: ServiceNames): string =>
  `create table ${names.quoted(destinationMark)} (kind text not null, name text not null, value text not null, primary key (kind, name))`;

/** Statements that replace an entry. */
export const putEntry = ({ kind, name, value }: MarkEntry, names: ServiceNames): readonly string[] => [
  `delete from ${names.quoted(destinationMark)} where kind = ${quoteText(kind)} and name = ${quoteText(name)}`,
  `insert into ${names.quoted(destinationMark)} (kind, name, value) values (${[kind, name, value].map(quoteText).join(', ')})`,
];

export const putPlace = (table: string, place: MovePlace, names: ServiceNames): readonly string[] =>
  putEntry({ kind: 'place', name: table, value: JSON.stringify(place) }, names);

export const forgetEntries = (kind: MarkEntry['kind'], names: ServiceNames): string =>
  `delete from ${names.quoted(destinationMark)} where kind = ${quoteText(kind)}`;

export const readDestinationMark = async (
  ask: Ask,
  tables: Tables,
  names: ServiceNames,
): Promise<DestinationMark | undefined> => {
  if (!tables.has(destinationMark)) return undefined;
  const entries = await ask<MarkEntry>(
    `select kind, name, value from ${names.quoted(destinationMark)} order by kind, name`,
  );
  const valueOfKind = (kind: MarkEntry['kind']): string =>
    entries.find((entry) => entry.kind === kind)?.value ?? '';
  const of = (kind: MarkEntry['kind']): readonly MarkEntry[] =>
    entries.filter((entry) => entry.kind === kind);
  return {
    id: valueOfKind('id'),
    phase: valueOfKind('phase') as Phase,
    places: new Map(of('place').map(({ name, value }) => [name, JSON.parse(value) as MovePlace])),
    restores: of('restore').map(({ value }) => value),
  };
};
