let last = { milliseconds: 0, text: new Date(0).toISOString() };

/** Milliseconds since the epoch as `YYYY-MM-DDTHH:MM:SS.mmmZ`, the only form in which the service answers a time. */
export const toTimestamp = (milliseconds: number): string => {
  // Writes that come together have the same moment.
  if (milliseconds !== last.milliseconds) last = { milliseconds, text: new Date(milliseconds).toISOString() };
  return last.text;
};

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,18}))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)?)?$/;

const daysInMonth = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31;

/** Whether `YYYY-MM-DD` names a day that exists, years 0001 to 9999. */
export const isDate = (text: string): boolean => {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
};

/**
 * Reads an ISO 8601 timestamp: any offset, none meaning UTC, a bare date meaning midnight UTC; what is finer than a
 * millisecond is cut. Answers milliseconds since the epoch, or undefined where the text is no timestamp of the years
 * 0001 to 9999 (in UTC) or names a day that does not exist.
 */
export const parseTimestamp = (text: string): number | undefined => {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour = '0',
    minute = '0',
    second = '0',
    fraction = '',
    sign,
    oh = '0',
    om = '0',
  ] = match;
  if (!isDate(`${year}-${month}-${day}`)) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || Number(oh) > 23 || Number(om) > 59)
    return undefined;
  const instant = new Date(0);
  instant.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  instant.setUTCHours(
    Number(hour),
    Number(minute),
    Number(second),
    Number(fraction.slice(0, 3).padEnd(3, '0')),
  );
  const offset = (Number(oh) * 60 + Number(om)) * 60_000 * (sign === '-' ? -1 : 1);
  const milliseconds = instant.getTime() - offset;
  const utcYear = new Date(milliseconds).getUTCFullYear();
  return utcYear >= 1 && utcYear <= 9999 ? milliseconds : undefined;
};
