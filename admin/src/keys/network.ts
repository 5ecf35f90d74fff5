const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';

const ipv4 = new RegExp(`^${byte}(?:\\.${byte}){3}$`);

const isIPv6 = (address: string): boolean =>
  /^[\da-f:.]+$/i.test(address) && address.includes(':') && URL.canParse(`http://[${address}]/`);

/** Whether a text is an address, or one with a prefix length, as the service takes networks of keys. */
export const isNetwork = (text: string): boolean => {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = ipv4.test(address) ? 32 : isIPv6(address) ? 128 : undefined;
  return bits !== undefined && (length === undefined || Number(length) <= bits);
};

/** The networks of lines that were typed; empty lines are none. */
export const networksIn = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.trim()).filter((line) => line !== '');
