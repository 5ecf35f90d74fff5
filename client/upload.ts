import type { CallOptions, Transport } from './transport.ts';

/** A file of a record, as the service describes it. */
export interface StoredFile {
  /** Name for people. */
  readonly name: string;
  /** Media type, as the bytes say. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the bytes, 64 lowercase hex digits. */
  readonly checksum: string;
  /** Path of the bytes. */
  readonly url: string;
}

/** Bytes that the service has, and all bytes. */
export interface UploadProgress {
  readonly sent: number;
  readonly total: number;
}

export interface UploadOptions extends CallOptions {
  /** Name for people; that of a `File` where it is not given. */
  readonly name?: string | undefined;
  /** SHA-256 in hex: other bytes are refused with 422. */
  readonly checksum?: string | undefined;
  /** Called at the beginning, and after each part. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** Called when an upload in parts has begun, with its address: `resume` goes on with it after an interruption. */
  readonly onBegin?: ((address: string) => void) | undefined;
  /** Address of an upload that was begun with the same bytes: only its missing parts are sent. */
  readonly resume?: string | undefined;
}

/** An upload in parts, as the service describes it. */
interface Begun {
  readonly url: string;
  readonly size: number;
  readonly part_size: number;
  readonly parts: readonly {
    readonly number: number;
    readonly size: number;
    readonly url: string;
    readonly stored: boolean;
  }[];
}

/** Bytes up to which a file is sent by one request. */
const wholeBytes = 8 * 1_048_576;

const blobOf = (source: Blob | Uint8Array): Blob =>
  source instanceof Blob ? source : new Blob([source as Uint8Array<ArrayBuffer>]);

const nameOf = (source: Blob | Uint8Array, name: string | undefined): string =>
  name ?? (typeof File === 'function' && source instanceof File ? source.name : '');

const sendParts = async (
  transport: Transport,
  begun: Begun,
  blob: Blob,
  { signal, onProgress }: UploadOptions,
): Promise<void> => {
  if (begun.size !== blob.size) throw new Error('resume: the upload was begun with another number of bytes');
  let sent = 0;
  for (const { stored, size } of begun.parts) if (stored) sent += size;
  onProgress?.({ sent, total: blob.size });
  for (const { number, size, url, stored } of begun.parts) {
    if (stored) continue;
    const start = (number - 1) * begun.part_size;
    const payload = blob.slice(start, start + size, 'application/octet-stream');
    await transport.send('PUT', url, { signal, payload, repeatable: true });
    sent += size;
    onProgress?.({ sent, total: blob.size });
  }
};

/** Uploads to the fields of the record at a path. */
export const uploading =
  (transport: Transport) =>
  async (path: string, source: Blob | Uint8Array, options: UploadOptions = {}): Promise<StoredFile> => {
    const { signal, checksum, onProgress, onBegin, resume } = options;
    const blob = blobOf(source);
    const name = nameOf(source, options.name);
    if (resume === undefined && checksum === undefined && blob.size <= wholeBytes) {
      onProgress?.({ sent: 0, total: blob.size });
      const query = name === '' ? '' : `?name=${encodeURIComponent(name)}`;
      const headers = { 'Content-Type': blob.type === '' ? 'application/octet-stream' : blob.type };
      const request = { signal, payload: blob, headers, repeatable: true };
      const { data } = await transport.send<StoredFile>('PUT', path + query, request);
      onProgress?.({ sent: blob.size, total: blob.size });
      return data;
    }
    const body = { size: blob.size, name, type: blob.type, checksum };
    const begin = () => transport.send<Begun>('POST', `${path}/upload`, { signal, body });
    const { data: begun } =
      resume === undefined ? await begin() : await transport.send<Begun>('GET', resume, { signal });
    if (resume === undefined) onBegin?.(begun.url);
    await sendParts(transport, begun, blob, options);
    return (await transport.send<StoredFile>('POST', begun.url, { signal, repeatable: true })).data;
  };
