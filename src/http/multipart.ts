import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BusboyInstance } from '@fastify/busboy';
import { overloaded, Problem } from '../kernel/problem.ts';
import {
  type BodyReading,
  type BodySender,
  type ComingBody,
  decodeText,
  perPiece,
  tooLarge,
} from './body.ts';
import { maxFields } from './form.ts';
import { Incoming } from './incoming.ts';
import { diskProblem } from './upload-folders.ts';
import { baseName, isFieldName, type UploadedFile } from './uploaded-file.ts';

/** What a multipart body may bring. */
export interface MultipartLimits {
  /** Bytes of one file. */
  readonly file: number;
  /** Files of a body. */
  readonly files: number;
  /** Bytes of the whole body; as many as its files and texts can be unless given. */
  readonly total?: number | undefined;
}

/** Where a part of a body says what it is. Browsers need some hundred bytes of it. */
const partHead = { headerPairs: 16, headerSize: 8_192 };

/** What a multipart body comes to. */
export interface MultipartBody {
  readonly texts: readonly (readonly [name: string, text: string])[];
  readonly files: readonly UploadedFile[];
}

export interface MultipartReading extends BodyReading {
  readonly limits: MultipartLimits;
  /** A folder of this request's own. */
  readonly folder: string;
  /** The bytes where a signature had to see them before. */
  readonly held: Uint8Array | undefined;
}

const malformed = (cause?: unknown): Problem => new Problem('bad_request', { cause });

/** Reads one body. Texts are held, in the memory for bodies; files are written as they come. */
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
  #coming: ComingBody | undefined;
  #over = false;

  constructor(sender: BodySender, reading: MultipartReading, parser: BusboyInstance) {
    this.#sender = sender;
    this.#reading = reading;
    this.#parser = parser;
    this.#incoming = new Incoming(
      sender,
      { limit: this.#total, patience: reading.patience },
      {
        take: (chunk) => parser.write(chunk),
        ended: () => void parser.end(),
        failed: (problem) => this.#fail(problem),
      },
    );
  }

  get #total(): number {
    const { limits, limit } = this.#reading;
    return limits.total ?? limits.file * limits.files + limit;
  }

  read(): Promise<MultipartBody> {
    this.#coming = this.#reading.memory.begin(this.#sender, () => this.#fail(overloaded()));
    this.#parser
      .on('file', (name, stream, filename, _encoding, type) => this.#part(name, stream, filename, type))
      .on('partsLimit', () => this.#fail(malformed()))
      .on('drain', () => this.#incoming.resume())
      .on('error', (error) => this.#fail(malformed(error)))
      .on('finish', () => void this.#finish());
    const { held } = this.#reading;
    if (held === undefined) this.#incoming.start();
    else if (held.byteLength > this.#total) this.#fail(tooLarge(this.#total));
    else this.#parser.end(held);
    return this.#done.promise;
  }

  #part(name: string | undefined, stream: Readable, filename: string | undefined, type: string): void {
    // What it fails with fails the whole.
    stream.on('error', () => {});
    if (this.#over) stream.resume();
    else if (!isFieldName(name)) this.#fail(malformed());
    else if (filename === undefined && type !== 'application/octet-stream') this.#text(name, stream);
    else this.#fileBegins(name, stream, filename ?? '', type);
  }

  #text(name: string, stream: Readable): void {
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
        this.#reading.memory.take(this.#sender, bytes + perPiece);
      } catch (problem) {
        this.#fail(problem);
      }
    };
    take(Buffer.byteLength(name));
    stream.on('data', (chunk: Buffer) => {
      if (this.#over) return;
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

  #fileBegins(field: string, stream: Readable, given: string, type: string): void {
    const { files } = this.#reading.limits;
    this.#fileParts += 1;
    if (this.#fileParts > files) this.#fail(new Problem('too_many_files', { params: { limit: files } }));
    else
      this.#writes.push(
        this.#file(field, stream, given, type).catch((error) => this.#fail(diskProblem(error))),
      );
  }

  async #file(field: string, stream: Readable, given: string, type: string): Promise<void> {
    const { limits, folder } = this.#reading;
    // The number of the file, and nothing that the caller says.
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
    // A browser sends a field for files that nobody chose as one without name and bytes.
    if (given === '' && size === 0) await rm(path);
    else this.#files.push({ field, filename: baseName(given), type, size, path });
  }

  async #finish(): Promise<void> {
    await Promise.all(this.#writes);
    if (this.#over) return;
    this.#end();
    // In the order in which they were sent.
    this.#files.sort((one, other) => one.path.length - other.path.length || (one.path < other.path ? -1 : 1));
    this.#done.resolve({ texts: this.#texts, files: this.#files });
  }

  /** Nothing is written any more when it is told. */
  #fail(problem: unknown): void {
    if (this.#over) return;
    this.#end();
    this.#incoming.stop();
    this.#abort.abort();
    void Promise.allSettled(this.#writes).then(() => this.#done.reject(problem));
  }

  #end(): void {
    this.#over = true;
    if (this.#coming !== undefined) this.#reading.memory.complete(this.#coming);
  }
}

const parserFor = async (type: string, files: number): Promise<BusboyInstance> => {
  // Loaded with the first body of parts that comes.
  const { Busboy: Parser } = await import('@fastify/busboy');
  try {
    return Parser({
      headers: { 'content-type': type },
      // Texts come as streams too, so that their bytes can be counted as they come.
      isPartAFile: () => true,
      preservePath: true,
      limits: { ...partHead, parts: files + maxFields + 1 },
    });
  } catch (cause) {
    // The boundary is missing.
    throw malformed(cause);
  }
};

/**
 * Reads a body of parts.
 * @throws Problem `bad_request` where it is none or its caller hangs up; `body_too_large`, `too_many_files`,
 * `invalid_text`, `overloaded` where there is no room; `request_timeout` where it does not get on
 */
export const readMultipart = async (
  sender: BodySender,
  reading: MultipartReading,
): Promise<MultipartBody> => {
  const parser = await parserFor(sender.raw.headers['content-type'] ?? '', reading.limits.files);
  return new MultipartReader(sender, reading, parser).read();
};
