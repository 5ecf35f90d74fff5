/** Days from now, no end, or a picked time. */
export type ExpiryChoice = '30' | '90' | '365' | 'never' | 'custom';

export interface Expiry {
  readonly choice: ExpiryChoice;
  /** Value of the local date and time input. */
  readonly at: string;
}

export const firstExpiry: Expiry = { choice: '90', at: '' };

const day = 86_400_000;

/** ISO 8601; days count from `from`. Null if the key never expires; undefined if no time is picked yet. */
export const expiresAt = ({ choice, at }: Expiry, from: number): string | null | undefined => {
  if (choice === 'never') return null;
  if (choice !== 'custom') return new Date(from + Number(choice) * day).toISOString();
  const picked = new Date(at);
  return Number.isNaN(picked.getTime()) ? undefined : picked.toISOString();
};

export const isPast = (expiry: Expiry, now: number): boolean => {
  const at = expiresAt(expiry, now);
  return typeof at === 'string' && Date.parse(at) <= now;
};

/** The time from which an extension counts: the end of a valid key, else now. */
export const extensionStart = (end: string | null, now: number): number =>
  end === null ? now : Math.max(now, Date.parse(end));

/** True if a key with the new end would not end later. */
export const isNotLater = (next: string | null, end: string | null): boolean =>
  end !== null && next !== null && Date.parse(next) <= Date.parse(end);
