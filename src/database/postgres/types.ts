/**
 * How values of the server become values of JavaScript. Numbers where a number holds them exactly, booleans, and
 * otherwise the server's own text: no dates, no parsed JSON.
 */

const integer = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The integer ${text} is too large for a number`);
  return value;
};

/** By OID of the type, which never changes: bool, int8, int2, int4, oid, float4, float8. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: integer,
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
};

const asText = (text: string): string => text;

export const types = { getTypeParser: (oid: number) => parsers[oid] ?? asText };
