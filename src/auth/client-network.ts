/**
 * Networks of clients: the unit in which limits count them, and the ranges of API keys and trusted proxies.
 */

import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** The two groups that a dotted tail of an IPv6 address encodes. */
const dottedToGroups = (dotted: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};

const groupsIn = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));

/** The eight groups of an IPv6 address that `isIPv6` has accepted. */
const expand = (address: string): readonly number[] => {
  const tail = address.slice(address.lastIndexOf(':') + 1);
  const plain = tail.includes('.') ? address.slice(0, -tail.length) + dottedToGroups(tail) : address;
  const [before = '', after] = plain.split('::');
  const head = groupsIn(before);
  if (after === undefined) return head;
  const rest = groupsIn(after);
  return [...head, ...new Array<number>(8 - head.length - rest.length).fill(0), ...rest];
};

/** IPv4 inside IPv6, ::ffff:0:0/96 (RFC 4291, 2.5.5.2), as sockets that listen on both families report it. */
const isMapped = (groups: readonly number[]): boolean =>
  groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;

/** The IPv4 address in the last two groups. */
const toDottedQuad = (groups: readonly number[]): string => {
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
};

/**
 * The network by which a client is counted: an IPv4 address itself, or the /64 of an IPv6 address, which one customer
 * gets and within which they choose addresses at will. All spellings of an address return the same text; anything
 * else (a local socket) is returned unchanged.
 */
export const networkOf = (address: string): string => {
  const [bare = ''] = address.split('%', 1);
  if (isIPv4(bare) || !isIPv6(bare)) return bare;
  const groups = expand(bare);
  if (isMapped(groups)) return toDottedQuad(groups);
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
};

/** The IPv4 address that an IPv6 one stands for (`::ffff:192.0.2.1`); every other address without its zone. */
const plainAddress = (address: string): string => {
  const network = networkOf(address);
  return isIPv4(network) ? network : (address.split('%', 1)[0] ?? '');
};

interface Network {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** A network as text: an address, or an address with a prefix length (`203.0.113.0/24`, `2001:db8::/32`). */
const networkForm = /^([0-9A-Fa-f:.]+)(?:\/(\d{1,3}))?$/;

/** True if no bit is set behind the prefix. @param units of `width` bits each */
const endsWithin = (units: readonly number[], width: number, prefix: number): boolean =>
  units.every((unit, index) => {
    const free = Math.min(width, Math.max(0, (index + 1) * width - prefix));
    return unit % 2 ** free === 0;
  });

/**
 * Reads a network. IPv4 inside IPv6 is the network of IPv4. Undefined for a text that is none, or that has bits behind
 * its prefix: `::ffff:203.0.113.0/24` would be a part of IPv6 instead of a network of IPv4.
 */
const networkIn = (text: string): Network | undefined => {
  const [, address = '', length] = networkForm.exec(text) ?? [];
  if (isIPv4(address)) {
    const prefix = length === undefined ? 32 : Number(length);
    const isWithin = prefix <= 32 && endsWithin(address.split('.').map(Number), 8, prefix);
    return isWithin ? { address, prefix, family: 'ipv4' } : undefined;
  }
  if (!isIPv6(address)) return undefined;
  const prefix = length === undefined ? 128 : Number(length);
  const groups = expand(address);
  if (prefix > 128 || !endsWithin(groups, 16, prefix)) return undefined;
  return isMapped(groups)
    ? { address: toDottedQuad(groups), prefix: prefix - 96, family: 'ipv4' }
    : { address, prefix, family: 'ipv6' };
};

/** True if a text is a network. */
export const isNetwork = (text: string): boolean => networkIn(text) !== undefined;

/** Networks to check addresses against. */
export interface Networks {
  /**
   * True if an address is in one of them. IPv4, also inside IPv6, is in networks of IPv4 only; a text that is no IP
   * address (a local socket) is in none.
   */
  has(address: string): boolean;
}

/** Networks of these texts. One that is no network contains no address: it still restricts. */
export const networksOf = (texts: readonly string[]): Networks => {
  // A list for each family: one list would compare IPv4 with the networks of IPv6.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const text of texts) {
    const network = networkIn(text);
    if (network !== undefined)
      lists[network.family].addSubnet(network.address, network.prefix, network.family);
  }
  return {
    has: (address) => {
      const plain = plainAddress(address);
      if (isIPv4(plain)) return lists.ipv4.check(plain, 'ipv4');
      return isIPv6(plain) && lists.ipv6.check(plain, 'ipv6');
    },
  };
};

/** Names for the networks of one's own proxies, in `TRUST_PROXY`. */
export const proxyNetworks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};
