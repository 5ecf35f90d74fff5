/** Tokens of links, which are stored as hashes, and the addresses that contain them. */

import { createHash, randomBytes } from 'node:crypto';

/**
 * Seconds for which an invitation is valid.
 * @limit Accounts and credentials | an invitation link | s | 410
 */
export const invitationLifetime = 72 * 60 * 60;

/**
 * Seconds for which a link that was sent by mail at a user's request is valid.
 * @limit Accounts and credentials | a link that was requested by mail | s | 410
 */
export const accountLinkLifetime = 30 * 60;

/** 32 bytes in canonical base64url. */
const tokenForm = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** A token, and the hash that is stored. */
export interface LinkToken {
  readonly token: string;
  /** SHA-256, lowercase hex. */
  readonly hash: string;
}

/**
 * A new token, for the link, and its SHA-256, for the database. 256 random bits need neither salt nor a slow hash,
 * and no key: the links stay valid when the server secret changes.
 */
export const newLinkToken = (): LinkToken => {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOf(token) };
};

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Lowercase hex; undefined for a text that cannot be a token. */
export const hashLinkToken = (token: string): string | undefined =>
  tokenForm.test(token) ? hashOf(token) : undefined;

/** Paths of the service's pages that links with a token open. */
export const linkPaths = {
  invitation: '/account/invitation',
  password_reset: '/account/password_reset',
  register: '/account/register',
  email: '/account/email',
} as const;

/** The place of the pages that links open. */
export interface LinkPlace {
  readonly baseUrl: string;
  /** Address of the application's own pages, without a slash at its end; undefined: the pages of the service. */
  readonly pages: string | undefined;
}

/**
 * The address of a link. The token is in the fragment: a browser does not send it, so it appears in no log.
 * @param path of the service's page, which also names that of an application
 */
export const linkUrl = ({ baseUrl, pages }: LinkPlace, path: string, token: string): string => {
  const address = pages === undefined ? `${baseUrl}${path}` : `${pages}${path.slice(path.lastIndexOf('/'))}`;
  return `${address}#${token}`;
};
