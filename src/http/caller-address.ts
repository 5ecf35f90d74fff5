import { isIP } from 'node:net';

/** Whether the address at a distance of so many hops is one of our own proxies. */
export type Trust = (address: string, hop: number) => boolean;

/** `203.0.113.10:40001`, `[2001:db8::1]`, `[2001:db8::1]:443`: forms in which proxies write addresses as well. */
const decorated = /^(?:([\d.]+):\d{1,5}|\[([^[\]]+)\](?::\d{1,5})?)$/;

/** The bare address in an entry of `X-Forwarded-For`; undefined where there is none. */
const addressIn = (entry: string): string | undefined => {
  if (isIP(entry) !== 0) return entry;
  const [, v4, v6] = decorated.exec(entry) ?? [];
  const bare = v4 ?? v6 ?? '';
  return isIP(bare) === (v4 === undefined ? 6 : 4) ? bare : undefined;
};

/**
 * Who calls: the nearest address that is none of our own proxies, going back from the socket through the entries of
 * `X-Forwarded-For`. What is no address there (`unknown`, a name, a text of somebody's choice) is nobody's: it counts as
 * the socket's.
 */
export const callerAddress = (socket: string, forwarded: string | undefined, trust: Trust): string => {
  if (forwarded === undefined || !trust(socket, 0)) return socket;
  const entries = forwarded.split(',').map((entry) => entry.trim());
  let caller = socket;
  for (const [index, entry] of entries
    .filter((text) => text !== '')
    .reverse()
    .entries()) {
    const address = addressIn(entry);
    if (address === undefined) return socket;
    caller = address;
    if (!trust(address, index + 1)) break;
  }
  return caller;
};
