import { isStorableText } from './body.ts';

/** A file of a multipart body. It is removed with its folder when the response is sent. */
export interface UploadedFile {
  /** Name of its field in the body. */
  readonly field: string;
  /** Name given by the caller: its last path segment without control characters; never a part of `path`. May be empty. */
  readonly filename: string;
  /** Media type given by the caller, in lower case without parameters; not verified. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** Path of the file, whose name the service chooses; only the user of this process can read it. */
  readonly path: string;
}

/** Limit of the characters of a file name. */
const maxNameLength = 255;

/** Returns the last segment of a path of any operating system, without control and format characters. */
export const baseName = (given: string): string => {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const plain = last
    .toWellFormed()
    .replaceAll(/\p{Cc}|\p{Cf}/gu, '')
    .trim();
  const name = [...plain].slice(0, maxNameLength).join('');
  return name === '.' || name === '..' ? '' : name;
};

/** Whether a name of a field is a text that a database can store. */
export const isFieldName = (name: string | undefined): name is string =>
  name !== undefined && name !== '' && isStorableText(name);
