import { BlockList, isIP } from 'node:net';

/**
 * Address ranges outside the public internet: a URL that an administrator enters must not lead to this machine, its
 * network or the metadata service of a cloud. From IANA's registries of special-purpose addresses
 * (iana-ipv4-special-registry and iana-ipv6-special-registry, RFC 6890), including those with global reach, and from
 * the documentation of clouds.
 */
const specialRanges = [
  ['0.0.0.0/8', 'this network, RFC 791'],
  ['10.0.0.0/8', 'private use, RFC 1918'],
  [
    '100.64.0.0/10',
    'shared address space, RFC 6598; 100.100.100.200 is the metadata service of Alibaba Cloud',
  ],
  ['127.0.0.0/8', 'loopback, RFC 1122'],
  ['168.63.129.16/32', 'virtual address of the platform in Azure'],
  ['169.254.0.0/16', 'link local, RFC 3927; 169.254.169.254 is the metadata service of most clouds'],
  ['172.16.0.0/12', 'private use, RFC 1918'],
  ['192.0.0.0/24', 'protocol assignments, RFC 6890; 192.0.0.192 is the metadata service of Oracle Cloud'],
  ['192.0.2.0/24', 'documentation, RFC 5737'],
  ['192.31.196.0/24', 'AS112, RFC 7535'],
  ['192.52.193.0/24', 'AMT, RFC 7450'],
  ['192.88.99.0/24', '6to4 relays, RFC 7526'],
  ['192.168.0.0/16', 'private use, RFC 1918'],
  ['192.175.48.0/24', 'AS112, RFC 7534'],
  ['198.18.0.0/15', 'benchmarks, RFC 2544'],
  ['198.51.100.0/24', 'documentation, RFC 5737'],
  ['203.0.113.0/24', 'documentation, RFC 5737'],
  ['224.0.0.0/4', 'multicast, RFC 5771'],
  ['240.0.0.0/4', 'reserved and broadcast, RFC 1112'],
  // Not listed, as they are outside 2000::/3: ::, ::1, ::ffff:0:0/96 (mapped), ::/96 (compatible),
  // 64:ff9b::/96 and 64:ff9b:1::/48 (NAT64), 100::/64, 5f00::/16, fc00::/7, fe80::/10, fec0::/10, ff00::/8.
  ['2001::/23', 'protocol assignments, RFC 2928: Teredo, ORCHID, benchmarks'],
  ['2001:db8::/32', 'documentation, RFC 3849'],
  ['2002::/16', '6to4, RFC 3056: holds an IPv4 address'],
  ['2620:4f:8000::/48', 'AS112, RFC 7534'],
  ['3fff::/20', 'documentation, RFC 9637'],
] as const;

const listOf = (ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
};

const rangesOf = (family: 4 | 6): readonly string[] =>
  specialRanges.map(([range]) => range).filter((range) => range.includes(':') === (family === 6));

const special4 = listOf(rangesOf(4), 'ipv4');
const special6 = listOf(rangesOf(6), 'ipv6');
/** The range of all IPv6 addresses that are allocated so far. */
const global6 = listOf(['2000::/3'], 'ipv6');

/** Whether the text is an address of the public internet; false for any other text. */
export const isPublicAddress = (address: string): boolean => {
  // A zone names an interface of this machine.
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !special4.check(address, 'ipv4');
  // `check` treats an IPv4-mapped address as IPv4, so 2000::/3 is checked first, which contains none.
  return family === 6 && global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
};

/** The address in a URL, in any spelling; undefined where the URL contains a host name. */
const literalAddress = ({ hostname }: URL): string | undefined => {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
};

/** Maximum length of a URL in characters. */
export const maxUrlLength = 2_000;

/** Whether a webhook may use a URL, as far as it can be decided without resolving its host. */
export const isWebhookUrl = (text: string, allowPrivate: boolean): boolean => {
  if (text.length > maxUrlLength || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '') return false;
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return false;
  const literal = literalAddress(url);
  return allowPrivate || literal === undefined || isPublicAddress(literal);
};
