/** Reads multipart bodies: fields into memory, files into the folder of the request. */

import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BusboyInstance } from '@fastify/busboy';
import { isStorableText } from '../kernel/json.ts';
import { overloaded, Problem } from '../kernel/problem.ts';
import {
  type ArrivingBody,
  type BodyReading,
  type BodySender,
  bytesPerChunk,
  decodeText,
  tooLarge,
} from './body.ts';
import { maxFields } from './form.ts';
import { Incoming } from './incoming.ts';
import { baseName, diskProblem, type UploadedFile } from './uploads.ts';

/** Limits of a multipart body. */
export interface MultipartLimits {
  /** Bytes of one file. */
  readonly file: number;
  /** Number of files. */
  readonly files: number;
  /** Bytes of the whole body; by default the sum that its files and texts may have. */
  readonly total?: number | undefined;
}

/** Limits of the header of a part. Browsers send some hundred bytes. */
const partHeaderLimits = { headerPairs: 16, headerSize: 8_192 };

/** A multipart body that was read. */
export interface MultipartBody {
  readonly texts: readonly (readonly [name: string, text: string])[];
  readonly files: readonly UploadedFile[];
}

export interface MultipartReading extends BodyReading {
  readonly limits: MultipartLimits;
  /** The folder of this request alone. */
  readonly folder: string;
  /** The bytes of the body, where the verification of a signature has already read them. */
  readonly bytes: Uint8Array | undefined;
}

/** Tells whether a name of a field is a text that a database can store. */
const isFieldName = (name: string | undefined): name is string =>
  name !== undefined && name !== '' && isStorableText(name);

const malformed = (cause?: unknown): Problem => new Problem('bad_request', { cause });

/** Reads one multipart body. Texts count in the memory for bodies; files are written to disk as they arrive. */
class MultipartReader {
  readonly #sender: BodySender;
  readonly #reading: MultipartReading;
  readonly #parser: BusboyInstance;
  readonly #incoming: Incoming;
  readonly #abort = new AbortController();
  readonly #texts: [name: string, text: string][] = [];
  readonly #files: UploadedFile[] = [];
  readonly #writes: Promise<void>[] = [];
  readonly #done = Promise.withResolvers<MultipartBody>();
  #textBytes = 0;
  #textParts = 0;
  #fileParts = 0;
  #arriving: ArrivingBody | undefined;
  #hasEnded = false;

  constructor(sender: BodySender, reading: MultipartReading, parser: BusboyInstance) {
    this.#sender = sender;
    this.#reading = reading;
    this.#parser = parser;
    this.#incoming = new Incoming(
      sender,
      { limit: this.#total, stallTimeoutMs: reading.stallTimeoutMs },
      {
        write: (chunk) => parser.write(chunk),
        end: () => void parser.end(),
        fail: (problem) => this.#fail(problem),
      },
    );
  }

  get #total(): number {
    const { limits, limit } = this.#reading;
    return limits.total ?? limits.file * limits.files + limit;
  }

  read(): Promise<MultipartBody> {
    this.#arriving = this.#reading.memory.begin(this.#sender, () => this.#fail(overloaded()));
    this.#parser
      .on('file', (name, stream, filename, _encoding, type) => this.#readPart(name, stream, filename, type))
      .on('partsLimit', () => this.#fail(malformed()))
      .on('drain', () => this.#incoming.resume())
      .on('error', (error) => this.#fail(malformed(error)))
      .on('finish', () => void this.#finish());
    const { bytes } = this.#reading;
    if (bytes === undefined) this.#incoming.start();
    else if (bytes.byteLength > this.#total) this.#fail(tooLarge(this.#total));
    else this.#parser.end(bytes);
    return this.#done.promise;
  }

  #readPart(name: string | undefined, stream: Readable, filename: string | undefined, type: string): void {
    // The parser itself emits the same error.
    stream.on('error', () => {});
    if (this.#hasEnded) stream.resume();
    else if (!isFieldName(name)) this.#fail(malformed());
    else if (filename === undefined && type !== 'application/octet-stream') this.#readText(name, stream);
    else this.#readFile(name, stream, filename ?? '', type);
  }

  #readText(name: string, stream: Readable): void {
    this.#textParts += 1;
    if (this.#textParts > maxFields) {
      this.#fail(malformed());
      return;
    }
    const chunks: Buffer[] = [];
    const take = (bytes: number): void => {
      this.#textBytes += bytes;
      try {
        if (this.#textBytes > this.#reading.limit) throw tooLarge(this.#reading.limit);
        this.#reading.memory.take(this.#sender, bytes + bytesPerChunk);
      } catch (problem) {
        this.#fail(problem);
      }
    };
    take(Buffer.byteLength(name));
    stream.on('data', (chunk: Buffer) => {
      if (this.#hasEnded) return;
      take(chunk.length);
      chunks.push(chunk);
    });
    stream.on('end', () => {
      try {
        this.#texts.push([name, decodeText(Buffer.concat(chunks))]);
      } catch (problem) {
        this.#fail(problem);
      }
    });
  }

  #readFile(field: string, stream: Readable, filename: string, type: string): void {
    const { files } = this.#reading.limits;
    this.#fileParts += 1;
    if (this.#fileParts > files) this.#fail(new Problem('too_many_files', { params: { limit: files } }));
    else
      this.#writes.push(
        this.#writeFile(field, stream, filename, type).catch((error) => this.#fail(diskProblem(error))),
      );
  }

  async #writeFile(field: string, stream: Readable, filename: string, type: string): Promise<void> {
    const { limits, folder } = this.#reading;
    // The path contains no text of the caller.
    const path = join(folder, String(this.#fileParts));
    const target = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    let size = 0;
    const counted = async function* (source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        size += chunk.length;
        if (size > limits.file) throw tooLarge(limits.file);
        yield chunk;
      }
    };
    await pipeline(stream, counted, target, { signal: this.#abort.signal });
    // A browser sends a file field without a chosen file as a part without name and bytes.
    if (filename === '' && size === 0) await rm(path);
    else this.#files.push({ field, filename: baseName(filename), type, size, path });
  }

  async #finish(): Promise<void> {
    await Promise.all(this.#writes);
    if (this.#hasEnded) return;
    this.#end();
    // Sorted by number, the order in which they were sent.
    this.#files.sort((one, other) => one.path.length - other.path.length || (one.path < other.path ? -1 : 1));
    this.#done.resolve({ texts: this.#texts, files: this.#files });
  }

  /** Rejects once no file is being written. */
  #fail(problem: unknown): void {
    if (this.#hasEnded) return;
    this.#end();
    this.#incoming.stop();
    this.#abort.abort();
    void Promise.allSettled(this.#writes).then(() => this.#done.reject(problem));
  }

  #end(): void {
    this.#hasEnded = true;
    if (this.#arriving !== undefined) this.#reading.memory.complete(this.#arriving);
  }
}

const parserFor = async (type: string, files: number): Promise<BusboyInstance> => {
  // Loaded with the first multipart body.
  const { Busboy: Parser } = await import('@fastify/busboy');
  try {
    return Parser({
      headers: { 'content-type': type },
      // Texts are streams as well, so that their bytes can be counted as they arrive.
      isPartAFile: () => true,
      preservePath: true,
      limits: { ...partHeaderLimits, parts: files + maxFields + 1 },
    });
  } catch (cause) {
    // The boundary is missing.
    throw malformed(cause);
  }
};

/**
 * Reads a multipart body.
 * @throws Problem `bad_request` for a malformed body, or when the caller hangs up; `body_too_large`, `too_many_files`,
 * `invalid_text`; `overloaded` where the memory for bodies is full; `request_timeout` for a body without progress
 */
export const readMultipart = async (
  sender: BodySender,
  reading: MultipartReading,
): Promise<MultipartBody> => {
  const parser = await parserFor(sender.raw.headers['content-type'] ?? '', reading.limits.files);
  return new MultipartReader(sender, reading, parser).read();
};
