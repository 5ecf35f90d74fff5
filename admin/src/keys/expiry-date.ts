/** Days from now, no end, or the moment that was picked. */
export type ExpiryChoice = '30' | '90' | '365' | 'never' | 'custom';

export interface Expiry {
  readonly choice: ExpiryChoice;
  /** Value of the local date and time input. */
  readonly at: string;
}

export const firstExpiry: Expiry = { choice: '90', at: '' };

const day = 86_400_000;

/** ISO 8601, days counted from `from`; null never expires; undefined where a moment is still to be picked. */
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

/** The moment from which an extension counts: the present end of a key that has one and still works. */
export const extendedFrom = (end: string | null, now: number): number =>
  end === null ? now : Math.max(now, Date.parse(end));

/** Whether a key with this end would end earlier, or at the same moment. */
export const isNoLonger = (next: string | null, end: string | null): boolean =>
  end !== null && next !== null && Date.parse(next) <= Date.parse(end);
