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

/** Path of the page on which an invited user sets a password. */
export const invitationPath = '/admin/invitation';

/** The token is in the fragment: a browser does not send it, so it appears in no log. */
export const linkUrl = (baseUrl: string, path: string, token: string): string => `${baseUrl}${path}#${token}`;
