/**
 * Email addresses. The holder of an address holds its mailbox, so addresses are compared in the form to which mail is
 * sent, without the case of letters. Likeness decides nothing: two domains that look alike are two domains.
 */

import { randomBytes } from 'node:crypto';
import { domainToASCII, domainToUnicode } from 'node:url';

const ascii = /^[\x21-\x7e]+$/;
/** Letters, digits and hyphens; and the underscore, which some domains contain. */
const labels = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/**
 * The name of a domain in DNS, its A-labels (RFC 5890, 2.3.2.1), in lower case. Two domains are the same if these are
 * equal byte for byte. Undefined for a text that has none.
 */
export const domainName = (text: string): string | undefined => {
  if (ascii.test(text)) return text.toLowerCase();
  // The parser of URLs would also decode escapes, and read numbers as an IPv4 address.
  if (/[\0-,/:-@[-^`{-\x7f]/.test(text)) return undefined;
  const name = domainToASCII(text);
  return labels.test(name) && !/(?:^|\.)\d+$/.test(name) ? name : undefined;
};

interface AddressParts {
  readonly local: string;
  /** As it was written, but for its compatibility characters. */
  readonly written: string;
  readonly domain: string;
}

/** @param text of bounded length */
const partsOf = (text: string): AddressParts | undefined => {
  const normal = text.normalize('NFKC');
  const at = normal.lastIndexOf('@');
  const [local, written] = [normal.slice(0, Math.max(at, 0)), normal.slice(at + 1)];
  const domain = domainName(written);
  return at < 1 || domain === undefined ? undefined : { local, written, domain };
};

/**
 * The address as it is stored and mailed to: the local part by NFKC, the domain by its A-labels. Letters keep their
 * case. Undefined for a text that is no address.
 * @param text of bounded length
 */
export const addressOf = (text: string): string | undefined => {
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  const { local, written, domain } = parts;
  return `${local}@${written.toLowerCase() === domain ? written : domain}`;
};

/** Lower case by NFKC, a second time where the first left a character that NFKC changes. */
const lower = (text: string): string => {
  const once = text.toLowerCase().normalize('NFKC');
  return once.toLowerCase().normalize('NFKC');
};

/**
 * The form by which addresses are compared: `addressOf` in lower case. Empty for a text that is no address.
 * @param text of bounded length
 */
export const canonicalAddress = (text: string): string => {
  const parts = partsOf(text);
  return parts === undefined ? '' : `${lower(parts.local)}@${parts.domain}`;
};

/**
 * True if a text is an address as it is mailed to: only case, and the spelling of a domain in its own letters, differ
 * from `addressOf`. Somebody else has verified such an address; of another text they may have verified another one.
 * @param text of bounded length
 */
export const isExactAddress = (text: string): boolean => {
  const parts = partsOf(text);
  if (parts === undefined) return false;
  const composed = text.normalize('NFC');
  const written = composed.slice(composed.lastIndexOf('@') + 1).toLowerCase();
  return (
    composed.startsWith(`${parts.local}@`) &&
    (written === parts.domain || written === domainToUnicode(parts.domain))
  );
};

/** The stored forms of a user who has no address: empty, and a unique text that is no address and so is never found. */
export const noAddress = (): { readonly email: ''; readonly emailCanonical: string } => ({
  email: '',
  emailCanonical: `none ${randomBytes(12).toString('hex')}`,
});

/** An address as it is shown, from its stored form. */
export const shownAddress = (stored: string): string | null => (stored === '' ? null : stored);
