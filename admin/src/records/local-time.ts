const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** A time in the time zone of the browser as `datetime-local` holds it, to the second; empty for an invalid one. */
export const toLocalInput = (iso: string): string => {
  const at = new Date(iso);
  if (iso === '' || Number.isNaN(at.getTime())) return '';
  const date = [
    String(at.getFullYear()).padStart(4, '0'),
    twoDigits(at.getMonth() + 1),
    twoDigits(at.getDate()),
  ].join('-');
  return `${date}T${[at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':')}`;
};

/** The typed time in UTC; null if there is none. */
export const fromLocalInput = (typed: string): string | null => {
  const at = new Date(typed);
  return typed === '' || Number.isNaN(at.getTime()) ? null : at.toISOString();
};
