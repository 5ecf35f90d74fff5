/**
 * Files in a bucket of S3, or of a server that speaks its protocol, by the official client: an optional package, loaded
 * with the first store of this kind. An object exists only as a whole, so a killed process leaves at most an unfinished
 * upload under the same key, which `remove` aborts.
 */

import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type * as Client from '@aws-sdk/client-s3';
import {
  assertFileKey,
  type ByteRange,
  FileMissing,
  type FileStore,
  FileTooLarge,
  type PartedUpload,
  PartIncomplete,
  partCount,
  partLength,
  StoreBusy,
  type StoredBytes,
  type StoredPart,
  StoreFull,
  StoreUnavailable,
} from './store.ts';

/** The bucket of a store. */
export interface FileBucket {
  readonly bucket: string;
  /** Beginning of all names, with its last slash; may be empty. */
  readonly prefix: string;
  readonly region: string;
  /** Address of a server other than that of Amazon; undefined for that. */
  readonly endpoint: string | undefined;
}

/**
 * Bytes of a part of an upload that the store itself divides: the least that S3 takes. Each part is held until it is
 * sent, since its signature covers its bytes.
 */
const ownPartSize = 5 * 1_048_576;

/**
 * Bytes that a process holds of all uploads to S3. Beyond that an upload is refused: waiting would let a few slow ones
 * stop all others.
 * @limit Files | bytes of parts that a process holds before they are sent to S3 | bytes | 503 `overloaded`
 */
const maxHeldBytes = 64 * 1_048_576;

/** Milliseconds for a connection, and for an answer of the store without any progress. */
const timeouts = { connectionTimeout: 5_000, requestTimeout: 30_000, throwOnRequestTimeout: true } as const;

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

const statusOf = (error: unknown): number | undefined => {
  if (typeof error !== 'object' || error === null || !('$metadata' in error)) return undefined;
  const { $metadata: metadata } = error as { $metadata: { httpStatusCode?: number } };
  return metadata.httpStatusCode;
};

const missingNames: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound', 'NoSuchUpload']);

/** Errors of a store that has no space, by the names that servers give them. */
const fullNames: ReadonlySet<string> = new Set(['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull']);

const storeError = (error: unknown): Error => {
  const isFull = fullNames.has(nameOf(error)) || statusOf(error) === 507;
  return isFull
    ? new StoreFull('the bucket of the files is full', { cause: error })
    : new StoreUnavailable('the bucket of the files does not answer as it should', { cause: error });
};

/** The bytes that all uploads of a store hold. */
class HeldBytes {
  #held = 0;

  /** @throws StoreBusy */
  take(bytes: number): void {
    if (this.#held + bytes > maxHeldBytes) throw new StoreBusy('too many uploads are held in memory');
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}

/**
 * Collects the chunks of a source into parts of a size; the last one has the rest, and is empty only where it is the
 * only one. A part counts as held until the next one is asked for. @throws FileTooLarge, StoreBusy
 */
const inParts = async function* (
  source: AsyncIterable<Uint8Array>,
  partSize: number,
  limit: number,
  memory: HeldBytes,
): AsyncGenerator<Buffer> {
  let chunks: Uint8Array[] = [];
  let held = 0;
  let total = 0;
  const released = (): void => {
    memory.release(held);
    chunks = [];
    held = 0;
  };
  try {
    for await (const chunk of source) {
      total += chunk.byteLength;
      if (total > limit) throw new FileTooLarge(limit);
      for (let rest = chunk; rest.byteLength > 0; ) {
        const taken = rest.subarray(0, partSize - held);
        memory.take(taken.byteLength);
        chunks.push(taken);
        held += taken.byteLength;
        rest = rest.subarray(taken.byteLength);
        if (held < partSize) continue;
        yield Buffer.concat(chunks);
        released();
      }
    }
    if (held > 0 || total === 0) yield Buffer.concat(chunks);
  } finally {
    released();
  }
};

/** Files in a bucket. */
export class S3Store implements FileStore {
  readonly #bucket: FileBucket;
  readonly #module: Promise<typeof Client>;
  #client: Promise<Client.S3Client> | undefined;
  readonly #memory = new HeldBytes();

  /** Nothing is sent before the first use. */
  constructor(bucket: FileBucket) {
    this.#bucket = bucket;
    this.#module = import('@aws-sdk/client-s3');
    // Reported by the first use.
    this.#module.catch(() => {});
  }

  async write(key: string, source: AsyncIterable<Uint8Array>, limit: number): Promise<StoredBytes> {
    const hash = createHash('sha256');
    let size = 0;
    let upload: PartedUpload | undefined;
    const sent: Client.CompletedPart[] = [];
    try {
      for await (const part of inParts(source, ownPartSize, limit, this.#memory)) {
        hash.update(part);
        size += part.byteLength;
        // A part that is not full is the last one.
        if (upload === undefined && part.byteLength < ownPartSize) await this.#put(key, part);
        else {
          upload ??= { key, upload: await this.begin(key), size: 0, partSize: ownPartSize };
          sent.push(await this.#putPart(upload, sent.length + 1, part));
        }
      }
      if (upload !== undefined) await this.#complete(upload, sent);
      return { size, checksum: hash.digest('hex') };
    } catch (error) {
      // The error of the source, or of the store, is what the caller has to know.
      if (upload !== undefined) await this.#abort(key, upload.upload).catch(() => {});
      throw error;
    }
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    const { GetObjectCommand } = await this.#module;
    const bytes = range === undefined ? {} : { Range: `bytes=${range.first}-${range.last}` };
    const { Body } = await this.#send(key, (client) =>
      client.send(new GetObjectCommand({ ...this.#place(key), ...bytes })),
    );
    if (Body === undefined) throw new FileMissing(key);
    // In Node the body is the stream of the response.
    return Body as Readable;
  }

  async remove(key: string): Promise<void> {
    const { DeleteObjectCommand, ListMultipartUploadsCommand } = await this.#module;
    const { Bucket, Key } = this.#place(key);
    const { Uploads = [] } = await this.#send(key, (client) =>
      client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key })),
    );
    for (const { UploadId } of Uploads) if (UploadId !== undefined) await this.#abort(key, UploadId);
    await this.#send(key, (client) => client.send(new DeleteObjectCommand({ Bucket, Key })));
  }

  async begin(key: string): Promise<string> {
    const { CreateMultipartUploadCommand } = await this.#module;
    const { UploadId } = await this.#send(key, (client) =>
      client.send(new CreateMultipartUploadCommand(this.#place(key))),
    );
    if (UploadId === undefined) throw new StoreUnavailable('the store gave no name to an upload');
    return UploadId;
  }

  async writePart(upload: PartedUpload, number: number, source: AsyncIterable<Uint8Array>): Promise<void> {
    const length = partLength(upload, number);
    if (length === undefined) throw new PartIncomplete(number);
    let received = 0;
    for await (const part of inParts(source, length, length, this.#memory)) {
      received = part.byteLength;
      if (received === length) await this.#putPart(upload, number, part);
    }
    if (received < length) throw new PartIncomplete(number);
  }

  async parts(upload: PartedUpload): Promise<readonly StoredPart[]> {
    const listed = await this.#listed(upload);
    return listed.flatMap(({ PartNumber: number, Size: size }) =>
      number !== undefined && size !== undefined && size === partLength(upload, number)
        ? { number, size }
        : [],
    );
  }

  async join(upload: PartedUpload): Promise<void> {
    if ((await this.#sizeOf(upload.key)) === upload.size) return;
    try {
      await this.#joinListed(upload);
    } catch (error) {
      // Joined by another request at the same time, which has ended the upload.
      if (!(error instanceof FileMissing) || (await this.#sizeOf(upload.key)) !== upload.size) throw error;
    }
  }

  close(): void {
    void this.#client?.then((client) => client.destroy());
  }

  async #joinListed(upload: PartedUpload): Promise<void> {
    const listed = await this.#listed(upload);
    const byNumber = new Map(listed.map((part) => [part.PartNumber, part]));
    const parts: Client.CompletedPart[] = [];
    for (let number = 1; number <= partCount(upload); number++) {
      const part = byNumber.get(number);
      if (part === undefined || part.Size !== partLength(upload, number)) throw new PartIncomplete(number);
      parts.push({ PartNumber: number, ETag: part.ETag });
    }
    await this.#complete(upload, parts);
  }

  #place(key: string): { readonly Bucket: string; readonly Key: string } {
    assertFileKey(key);
    return { Bucket: this.#bucket.bucket, Key: this.#bucket.prefix + key };
  }

  #open(): Promise<Client.S3Client> {
    this.#client ??= this.#module.then(({ S3Client }) => {
      const { region, endpoint } = this.#bucket;
      const options = {
        region,
        // Other servers refuse the checksums that newer clients add to everything.
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
        maxAttempts: 3,
        requestHandler: timeouts,
      } as const;
      return new S3Client(endpoint === undefined ? options : { ...options, endpoint, forcePathStyle: true });
    });
    return this.#client;
  }

  async #send<T>(key: string, send: (client: Client.S3Client) => Promise<T>): Promise<T> {
    assertFileKey(key);
    const client = await this.#open();
    try {
      return await send(client);
    } catch (error) {
      throw missingNames.has(nameOf(error)) ? new FileMissing(key, error) : storeError(error);
    }
  }

  async #put(key: string, bytes: Buffer): Promise<void> {
    const { PutObjectCommand } = await this.#module;
    await this.#send(key, (client) =>
      client.send(new PutObjectCommand({ ...this.#place(key), Body: bytes })),
    );
  }

  async #putPart(
    { key, upload }: PartedUpload,
    number: number,
    bytes: Buffer,
  ): Promise<Client.CompletedPart> {
    const { UploadPartCommand } = await this.#module;
    const part = { ...this.#place(key), UploadId: upload, PartNumber: number, Body: bytes };
    const { ETag } = await this.#send(key, (client) => client.send(new UploadPartCommand(part)));
    return { PartNumber: number, ETag };
  }

  async #complete({ key, upload }: PartedUpload, parts: Client.CompletedPart[]): Promise<void> {
    const { CompleteMultipartUploadCommand } = await this.#module;
    const whole = { ...this.#place(key), UploadId: upload, MultipartUpload: { Parts: parts } };
    await this.#send(key, (client) => client.send(new CompleteMultipartUploadCommand(whole)));
  }

  async #abort(key: string, upload: string): Promise<void> {
    const { AbortMultipartUploadCommand } = await this.#module;
    try {
      await this.#send(key, (client) =>
        client.send(new AbortMultipartUploadCommand({ ...this.#place(key), UploadId: upload })),
      );
    } catch (error) {
      if (!(error instanceof FileMissing)) throw error;
    }
  }

  /** All parts of an upload, of which a response has at most 1,000. */
  async #listed({ key, upload }: PartedUpload): Promise<readonly Client.Part[]> {
    const { ListPartsCommand } = await this.#module;
    const found: Client.Part[] = [];
    for (let marker: string | undefined; ; ) {
      const after = marker === undefined ? {} : { PartNumberMarker: marker };
      const page = await this.#send(key, (client) =>
        client.send(new ListPartsCommand({ ...this.#place(key), UploadId: upload, ...after })),
      );
      found.push(...(page.Parts ?? []));
      if (page.IsTruncated !== true || page.NextPartNumberMarker === undefined) return found;
      marker = page.NextPartNumberMarker;
    }
  }

  async #sizeOf(key: string): Promise<number | undefined> {
    const { HeadObjectCommand } = await this.#module;
    try {
      const { ContentLength } = await this.#send(key, (client) =>
        client.send(new HeadObjectCommand(this.#place(key))),
      );
      return ContentLength;
    } catch (error) {
      if (error instanceof FileMissing) return undefined;
      throw error;
    }
  }
}
