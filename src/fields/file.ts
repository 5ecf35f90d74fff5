/**
 * The field type `file`: the bytes of a document or picture that belong to one field of one record. The column holds
 * the number of a row that describes them (`gatewright_files`), and a foreign key keeps that row while a record names
 * it.
 */

import type { Json } from '../kernel/json.ts';
import type { Label } from '../kernel/messages.ts';
import { flag, label, listOf, type OptionCheck, type OptionTable } from '../kernel/options.ts';
import {
  type CommonOptions,
  definition,
  type FieldDefinition,
  type FieldType,
  type Strict,
} from './field.ts';
import { orNull } from './values.ts';

export interface FileOptions {
  /** Every record has a file: it is created by a multipart body. */
  readonly required?: boolean;
  readonly label?: Label;
  readonly group?: Label;
  /**
   * Most bytes of a file, as a number or a text: `'10MB'` are 10,000,000 bytes, `'10MiB'` 10,485,760. Default: 10 MB.
   */
  readonly max?: number | string;
  /**
   * Media types that are accepted, `image/*` for all pictures. Default: every type. The bytes decide which type a file
   * has. `image/*` leaves out SVG, which can contain code: name `image/svg+xml` for it.
   */
  readonly types?: readonly string[];
}

/** A file in a response. */
export interface FileValue {
  /** Name for people, without folders and control characters. */
  readonly name: string;
  /** Media type, as the bytes say. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the bytes, 64 lowercase hex digits. */
  readonly checksum: string;
  /** Path of the bytes below `BASE_URL`, for callers who may read this field of this record. */
  readonly url: string;
}

/** Limits of an upload to a field. */
export interface UploadLimits {
  /** Bytes. */
  readonly max: number;
  /** Media types, perhaps with `*` for every subtype; undefined for all. */
  readonly types: readonly string[] | undefined;
}

const units = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const;

/**
 * Most bytes of one file of any field.
 * @limit Files | bytes of one file, whatever `max` says | bytes | no start
 */
const mostBytes = 53_687_091_200;

const defaultMax = 10 * units.MB;

/** The bytes of a size; undefined for a text or number that is none. */
const bytesOf = (size: number | string): number | undefined => {
  const [, digits = '', unit = ''] = /^(\d{1,12})(B|[KMG]i?B)$/.exec(String(size)) ?? [];
  const bytes = typeof size === 'number' ? size : Number(digits) * units[unit as keyof typeof units];
  return Number.isSafeInteger(bytes) && bytes >= 1 && bytes <= mostBytes ? bytes : undefined;
};

const sizeOption: OptionCheck = (value, path) =>
  (typeof value === 'number' || typeof value === 'string') && bytesOf(value) !== undefined
    ? undefined
    : `${path} must be a number of bytes, or a text such as '10MB'; at most '50GiB'`;

const typeOption: OptionCheck = (value, path) =>
  typeof value === 'string' && /^[a-z]+\/(?:\*|[a-z0-9][a-z0-9.+-]*)$/.test(value)
    ? undefined
    : `${path} must be a media type in lower case, such as 'image/*' or 'application/pdf'`;

/** The limits of uploads to a field with these options. */
const limitsOf = ({ max = defaultMax, types }: FileOptions): UploadLimits => ({
  max: bytesOf(max) ?? defaultMax,
  types,
});

/** The bytes of a file that belongs to one field of one record, and follows the rules of both. */
export const file = {
  kind: 'file',
  column: 'integer',
  define: <const Options extends FileOptions = FileOptions>(
    options?: Strict<Options, FileOptions>,
  ): FieldDefinition<Options & CommonOptions, FileValue, number, 'null'> => definition(file, options),
  options: {
    required: flag,
    label,
    group: label,
    max: sizeOption,
    types: listOf(typeOption),
  } satisfies OptionTable<FileOptions>,
  flaw: ({ types }) => (types?.length === 0 ? 'types is empty: no file would be accepted' : undefined),
  // The number of an upload, which its caller has finished and which no record has yet.
  input: () => ({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  output: () => ({
    type: 'object',
    properties: {
      name: { type: 'string' },
      type: { type: 'string' },
      size: { type: 'integer' },
      checksum: { type: 'string' },
      url: { type: 'string' },
    },
    required: ['name', 'type', 'size', 'checksum', 'url'],
  }),
  encode: (value: Json) => {
    if (!Number.isSafeInteger(value)) throw new TypeError('not the number of a file');
    return value as number;
  },
  operators: ['null'],
  parse: () => undefined,
  // A description that was exported stays as it is; the rules refuse any other text.
  fromText: (text) => (text.startsWith('{') ? {} : orNull(text)),
  searchable: false,
  sortable: false,
  ownTable: 'gatewright_files',
  uploads: limitsOf,
  bounds: (options) => {
    const { max, types } = limitsOf(options);
    return types === undefined ? { max } : { max, types: types.join(', ') };
  },
} satisfies FieldType<FileOptions & CommonOptions>;
