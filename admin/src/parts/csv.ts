import { exactJson } from '../exact.ts';

/** Text that a spreadsheet would run as a formula (OWASP, CSV injection). */
const formula = /^[=+\-@\t\r]/;

/** A negative number is no formula. */
const numeral = /^-?\d+(?:\.\d+)?$/;

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? exactJson.stringify(value) : String(value);
  const safe = formula.test(text) && !numeral.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** One line of RFC 4180. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`;
