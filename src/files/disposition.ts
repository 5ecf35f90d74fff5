/** `Content-Disposition` of a file (RFC 6266), and names that are safe in it and on a disk. */

/** Most bytes of a name: what file systems take. */
const maxNameBytes = 255;

/** The longest beginning of a name that file systems take, without a part of a character; its ending stays. */
export const shortened = (name: string): string => {
  if (Buffer.byteLength(name) <= maxNameBytes) return name;
  const [ending = ''] = /\.[\w-]{1,16}$/.exec(name) ?? [];
  const room = maxNameBytes - Buffer.byteLength(ending);
  let kept = '';
  let bytes = 0;
  for (const character of name.slice(0, name.length - ending.length)) {
    bytes += Buffer.byteLength(character);
    if (bytes > room) break;
    kept += character;
  }
  return kept + ending;
};

/** Everything but the attribute characters of RFC 8187. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * The header for a name. Clients that do not know `filename*` get the name with `_` for every character that is not
 * plain ASCII.
 */
export const disposition = (kind: 'inline' | 'attachment', name: string): string => {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_');
  const exact = plain === name ? '' : `; filename*=UTF-8''${encoded(name.toWellFormed())}`;
  return `${kind}; filename="${plain}"${exact}`;
};
