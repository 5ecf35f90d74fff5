/** Usernames that the service makes for users who choose none: from an address, or from an account at a provider. */

import { randomBytes } from 'node:crypto';
import { canonicalAccount, maxUsernameLength, usernameViolation } from '../../auth/account.ts';
import { toQuery } from '../../database/statement.ts';
import type { Change } from '../../ledger/context.ts';

/** Names that seem to speak for the service: from an address they are made with an ending only. */
const speaking: ReadonlySet<string> = new Set(
  `admin administrator super_admin superadmin root system service api support help security abuse postmaster hostmaster
   webmaster mailer-daemon noreply no-reply anonymous gatewright`
    .split(/\s+/)
    .map(canonicalAccount),
);

/** Tries of a new username, each with another ending. */
const maxNameTries = 5;

/** Characters of a username before its ending. */
const maxStemLength = 50;

/** The first characters of a text; none is cut in two. */
const firstOf = (text: string, length: number): string => [...text].slice(0, length).join('');

const withEnding = (username: string): string =>
  `${firstOf(username, maxStemLength)}-${randomBytes(3).toString('hex')}`;

/** The username that an address suggests: its part before the @, without a tag (`+news`). */
export const usernameOfAddress = (email: string): string => {
  const local = email.slice(0, email.lastIndexOf('@'));
  const found = [local.replace(/(?<=.)\+.*$/u, ''), local]
    .map((each) => firstOf(each, maxUsernameLength))
    .find((each) => usernameViolation(each) === undefined);
  if (found === undefined) return withEnding('user');
  return speaking.has(canonicalAccount(found)) ? withEnding(found) : found;
};

/** A username that a display name suggests, with a random ending: it tells no one which names are taken. */
export const usernameOfName = (name: string): string => {
  const stem = name
    .trim()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  const made = withEnding(stem);
  return stem === '' || usernameViolation(made) !== undefined ? withEnding('service') : made;
};

/** Returns the username, or one with a random ending where a user has it, in the transaction that uses it. */
export const freeUsername = async (
  { transaction, tables }: Pick<Change, 'transaction' | 'tables'>,
  wanted: string,
): Promise<string> => {
  const isTaken = async (canonical: string): Promise<boolean> => {
    const user = tables.selectFrom('users').select('id').where('username_canonical', '=', canonical);
    return (await transaction.get(toQuery(user))) !== undefined;
  };
  let username = wanted;
  for (let tries = 1; await isTaken(canonicalAccount(username)); tries += 1) {
    if (tries > maxNameTries) throw new Error('no free username was found');
    username = withEnding(wanted);
  }
  return username;
};
