import { createHash, randomBytes } from 'node:crypto';

/**
 * Seconds between the password and the second factor, at most.
 * @limit Accounts and credentials | between password and second factor | s | 401 `second_factor_expired`
 */
export const ticketLifetime = 5 * 60;

/** Wrong codes after which a ticket is void. */
export const ticketTries = 5;

/** 32 bytes in canonical base64url. */
const ticketForm = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

const hashOf = (ticket: string): string => createHash('sha256').update(ticket).digest('hex');

/** Proof of a correct password, for the request that brings the second factor; and its SHA-256, for the database. */
export const newSignInTicket = (): { readonly ticket: string; readonly hash: string } => {
  const ticket = randomBytes(32).toString('base64url');
  return { ticket, hash: hashOf(ticket) };
};

/** Lowercase hex; undefined for a text that cannot be a ticket. */
export const hashSignInTicket = (ticket: string): string | undefined =>
  ticketForm.test(ticket) ? hashOf(ticket) : undefined;
