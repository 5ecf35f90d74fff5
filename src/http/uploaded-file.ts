import { isStorableText } from './body.ts';

/** A file of a multipart body. It is removed with its folder when the request has been answered. */
export interface UploadedFile {
  /** Name of the field that it was sent as. */
  readonly field: string;
  /** What the caller calls it: the last part of it, without control characters; never a part of `path`. May be empty. */
  readonly filename: string;
  /** The media type that the caller gives, lower case, without parameters; not checked. */
  readonly type: string;
  /** Bytes */
  readonly size: number;
  /** Where it lies: a file of our own naming, readable by this process's user only. */
  readonly path: string;
}

/** Characters of a file's name that are kept. */
const longest = 255;

/** The last part of a caller's path, of whichever system, without what no name of a file should hold. */
export const baseName = (given: string): string => {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const plain = last
    .toWellFormed()
    .replaceAll(/\p{Cc}|\p{Cf}/gu, '')
    .trim();
  const name = [...plain].slice(0, longest).join('');
  return name === '.' || name === '..' ? '' : name;
};

/** Names of fields are texts that a database could take. */
export const isFieldName = (name: string | undefined): name is string =>
  name !== undefined && name !== '' && isStorableText(name);
