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

/**
 * The network by which a client is counted: an IPv4 address itself, or the /64 of an IPv6 address, which one customer
 * gets and within which they choose addresses at will. All spellings of an address return the same text; anything
 * else (a local socket) is returned unchanged.
 */
export const networkOf = (address: string): string => {
  const [bare = ''] = address.split('%', 1);
  if (isIPv4(bare) || !isIPv6(bare)) return bare;
  const groups = expand(bare);
  if (isMapped(groups)) {
    const [high = 0, low = 0] = groups.slice(6);
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
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

/** A network as text: an address, or an address with a prefix length (`203.0.113.0/24`, `2001:db8::/32`). */
const networkForm = /^([0-9A-Fa-f:.]+)(?:\/(\d{1,3}))?$/;

/** Adds a network to a list; false where the text is none. */
const addNetwork = (list: BlockList, text: string): boolean => {
  const [, address = '', length] = networkForm.exec(text) ?? [];
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
  if (family === undefined) return false;
  const bits = family === 'ipv4' ? 32 : 128;
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) return false;
  list.addSubnet(address, prefix, family);
  return true;
};

/** Whether a text is a network. */
export const isNetwork = (text: string): boolean => addNetwork(new BlockList(), text);

/** Networks to check addresses against. @throws Error where a text is no network */
export const networksOf = (texts: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const text of texts) if (!addNetwork(list, text)) throw new Error(`${text} is not a network`);
  return list;
};

/** Whether an address is in one of the networks; one that is no IP address (a local socket) is in none. */
export const isInNetworks = (networks: Pick<BlockList, 'check'>, address: string): boolean => {
  const plain = plainAddress(address);
  if (isIPv4(plain)) return networks.check(plain, 'ipv4');
  return isIPv6(plain) && networks.check(plain, 'ipv6');
};
