/**
 * Stored form of a key's hash: a mark before the SHA-256 makes older programs refuse keys with restrictions unknown
 * to them.
 */

import { type Fragment, identifier, join, literal, own, sql, statement } from '../../database/statement.ts';
import type { Change } from '../../ledger/context.ts';
import type { StoredRestrictions } from './restrictions.ts';

/*
 * Programs of several releases may serve one database. A program that does not know a restriction would admit a
 * restricted key with all rights of its user. So the hash of a restricted key is stored behind a mark: a program looks
 * for the marks that it knows, and does not find a key with another one.
 */

/**
 * The generation of each restriction. A new restriction takes the next number, which no released program knows; numbers
 * of restrictions that were released never change.
 */
const generations: Readonly<Record<keyof StoredRestrictions, number>> = {
  scopes: 1,
  networks: 1,
  limit: 1,
  quota: 1,
};

/** Hex digits of a SHA-256. */
const hashLength = 64;

const markOf = (generation: number): string => (generation === 0 ? '' : `r${generation}:`);

const knownMarks = [...new Set([0, ...Object.values(generations)])].map(markOf);

/** The hash of a key, as its row has it. */
export const storedHash = (hash: string, restrictions: StoredRestrictions): string => {
  const used = Object.entries(generations).map(([name, generation]) =>
    restrictions[name as keyof StoredRestrictions] === null ? 0 : generation,
  );
  return `${markOf(Math.max(...used))}${hash}`;
};

/** The SHA-256 of a key, of its stored form. */
export const plainHash = (stored: string): string => stored.slice(-hashLength);

/** All forms in which this program finds a hash: the items of a list behind `in`. */
export const storedFormsOf = (hash: Fragment): Fragment =>
  join(knownMarks.map((mark) => (mark === '' ? hash : sql`${literal(mark)} || ${hash}`)));

/** The SHA-256 in a column of stored hashes. */
export const plainHashIn = (column: Fragment): Fragment =>
  sql`substr(${column}, length(${column}) - ${literal(hashLength - 1)})`;

/** The mark that the restrictions of a row of `api_keys` need. */
const neededMark = (): Fragment => {
  const falling = [...new Set(Object.values(generations))].sort((one, other) => other - one);
  const cases = falling.map((generation) => {
    const names = Object.entries(generations).filter(([, each]) => each === generation);
    const set = names.map(([name]) => sql`k.${identifier(name)} is not null`);
    return sql`when ${join(set, ' or ')} then ${literal(markOf(generation))}`;
  });
  return sql`case ${join(cases, ' ')} else '' end`;
};

/** Sets the marks of a key's secrets, after its restrictions have changed. */
export const markSecrets = async ({ transaction, dialect }: Change, id: number): Promise<void> => {
  const mark = sql`(select ${neededMark()} from ${own('api_keys')} k where k.id = `;
  const column = identifier('key_hash');
  const present = statement<{ id: number }>(
    dialect,
    (value) => sql`update ${own('api_keys')} set key_hash = ${mark}${value('id')}) || ${plainHashIn(column)}
      where id = ${value('id')}`,
  );
  const former = statement<{ id: number }>(
    dialect,
    (
      value,
    ) => sql`update ${own('gatewright_former_secrets')} set key_hash = ${mark}${value('id')}) || ${plainHashIn(column)}
      where key_id = ${value('id')}`,
  );
  await transaction.run(present({ id }));
  await transaction.run(former({ id }));
};
