const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';

const ipv4 = new RegExp(`^${byte}(?:\\.${byte}){3}$`);

const isIPv6 = (address: string): boolean =>
  /^[\da-f:.]+$/i.test(address) && address.includes(':') && URL.canParse(`http://[${address}]/`);

const joined = (units: readonly number[], width: number): bigint =>
  units.reduce((value, unit) => (value << BigInt(width)) | BigInt(unit), 0n);

/** The bits of an IPv6 address, in the one form that the parser of URLs writes. */
const bitsOf6 = (address: string): bigint => {
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const [before = [], after = []] = [head, tail ?? ''].map((part) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)),
  );
  const zeros = new Array<number>(8 - before.length - after.length).fill(0);
  return joined([...before, ...zeros, ...after], 16);
};

/** True for an address, or a network whose bits after the prefix are zero, as the service accepts them for keys. */
export const isNetwork = (text: string): boolean => {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = ipv4.test(address) ? 32 : isIPv6(address) ? 128 : undefined;
  if (bits === undefined) return false;
  const free = bits - (length === undefined ? bits : Number(length));
  if (free < 0) return false;
  const value = bits === 32 ? joined(address.split('.').map(Number), 8) : bitsOf6(address);
  return value % (1n << BigInt(free)) === 0n;
};

/** The networks of typed lines, without empty lines. */
export const networksIn = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.trim()).filter((line) => line !== '');
