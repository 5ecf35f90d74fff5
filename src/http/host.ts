import { isIPv6 } from 'node:net';

/** `uri-host [ ":" port ]` (RFC 9112, 3.2; RFC 3986, 3.2.2): an address in brackets, or a name, which may be empty. */
const form = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

let lastValid: string | undefined;

/** Whether a `Host` header can be one. Several of them, joined by comma and space, are none. */
export const isHost = (value: string): boolean => {
  // Nearly every request names the same one.
  if (value === lastValid) return true;
  const match = form.exec(value);
  if (match === null || (match[1] !== undefined && !isIPv6(match[1]))) return false;
  lastValid = value;
  return true;
};
