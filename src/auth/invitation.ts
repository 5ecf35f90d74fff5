import { createHash, randomBytes } from 'node:crypto';

/** Seconds for which a link is valid. */
export const invitationLifetime = 72 * 60 * 60;

/** 32 bytes in canonical base64url. */
const tokenForm = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/**
 * A new token, for the link, and its SHA-256, for the database. 256 random bits need neither salt nor a slow hash,
 * and no key: the links stay valid when the server secret changes.
 */
export const newInvitation = (): { readonly token: string; readonly hash: string } => {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOf(token) };
};

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Lowercase hex; undefined for a text that cannot be a token. */
export const hashInvitation = (token: string): string | undefined =>
  tokenForm.test(token) ? hashOf(token) : undefined;

/** The token is in the fragment: a browser does not send it, so it appears in no log. */
export const invitationUrl = (baseUrl: string, token: string): string =>
  `${baseUrl}/admin/invitation#${token}`;
