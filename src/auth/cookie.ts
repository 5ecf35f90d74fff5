/** Trims space and tab around a pair. Wider trimming would accept a foreign name as ours. */
const trim = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '');

/** All values of the cookies of exactly this name in a Cookie header, as they were sent (RFC 6265, 4.2). */
export const cookieValues = (header: string, name: string): readonly string[] => {
  const values: string[] = [];
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals >= 0 && trim(pair.slice(0, equals)) === name) values.push(trim(pair.slice(equals + 1)));
  }
  return values;
};
