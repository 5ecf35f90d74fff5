import { BlockList, isIP } from 'node:net';

/**
 * Which addresses are everybody's: those of the public internet. What leads elsewhere (this machine, its network, the
 * metadata service of a cloud) must not be reached by whoever may write the URL of a webhook. From IANA's registries of
 * special addresses (RFC 6890).
 */

const ipv4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'],
  ...['192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
];

/**
 * Of IPv6 only 2000::/3 is given out. In it: Teredo and other protocols (2001::/23), documentation, 6to4, and AS112. What
 * lies outside of it holds the embedded IPv4 addresses of other kinds as well (::ffff:0:0/96, 64:ff9b::/96).
 */
const ipv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const listOf = (ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
};

const special4 = listOf(ipv4, 'ipv4');
const special6 = listOf(ipv6, 'ipv6');
const global6 = listOf(['2000::/3'], 'ipv6');

/** Whether an address is one of the public internet; false for what is no address. */
export const isPublicAddress = (address: string): boolean => {
  // A zone names an interface of this machine.
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !special4.check(address, 'ipv4');
  // `check` counts an IPv4-mapped address with IPv4, so it is asked of 2000::/3 first, where there is none.
  return family === 6 && global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
};

/** The address that a URL names in place of a host, in whatever spelling; undefined where it names a host. */
export const literalAddress = ({ hostname }: URL): string | undefined => {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
};

/** Characters of a URL. */
export const maxUrlLength = 2_000;

/** Whether webhooks may lead to a URL, as far as it can be told without asking for its host. */
export const isWebhookUrl = (text: string, allowPrivate: boolean): boolean => {
  if (text.length > maxUrlLength || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '') return false;
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return false;
  const literal = literalAddress(url);
  return allowPrivate || literal === undefined || isPublicAddress(literal);
};
