/**
 * The file of one field of a record: read, written and removed by a caller. Reading follows the rules of the detail
 * endpoint, writing those of an update; the record is checked before the first byte is read, and again by the writing
 * statement.
 */

import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { callerOf } from '../../auth/caller.ts';
import { versionColumn } from '../../database/source.ts';
import type { FileValue } from '../../fields/file.ts';
import type { RecordId } from '../../fields/key.ts';
import { isInline } from '../../files/content.ts';
import { disposition } from '../../files/disposition.ts';
import {
  anonymousUploader,
  FileRefused,
  type NewUpload,
  type StoredFile,
  type StoredFiles,
} from '../../files/files.ts';
import {
  type ByteRange,
  FileMissing,
  FileTooLarge,
  PartIncomplete,
  StoreBusy,
  StoreFull,
  StoreUnavailable,
} from '../../files/store.ts';
import { tooLarge } from '../../http/body.ts';
import { recordOf } from '../../http/call.ts';
import type { Answer, Call } from '../../http/endpoint.ts';
import { Pieces } from '../../http/pieces.ts';
import { isKnown } from '../../http/preconditions.ts';
import { baseName } from '../../http/uploads.ts';
import { isStorableText, type Json } from '../../kernel/json.ts';
import { fieldError } from '../../kernel/messages.ts';
import { overloaded, Problem } from '../../kernel/problem.ts';
import type { ModelField } from '../../model/resource.ts';
import type { Grant } from '../../policy/grant.ts';
import { createShow } from '../../records/show.ts';
import { idInPath, numberedFiles } from '../../records/view.ts';
import { apiArea } from '../area.ts';
import { update } from '../operations/save.ts';
import type { FileArea, ServedResource } from '../operations/served-resource.ts';
import { actingFor } from '../operations/transaction.ts';
import { checkTarget, type RecordWrite } from '../operations/writing.ts';

/** The rights of bytes in a browser: nothing runs, and nothing belongs to the origin of the service. */
const contentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** The entity tag of a file: equal bytes are equal. */
export const tagOfFile = ({ checksum }: Pick<StoredFile, 'checksum'>): string => `"${checksum}"`;

/**
 * The range that a request asks for (RFC 9110, 14): undefined for the whole file, as for several ranges.
 * @throws Problem `range_not_satisfiable`
 */
export const rangeOf = (header: string | undefined, size: number): ByteRange | undefined => {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  if (first > last || first >= size)
    throw new Problem('range_not_satisfiable', { headers: { 'Content-Range': `bytes */${size}` } });
  return { first, last };
};

/** The SHA-256 that `Content-Digest` says (RFC 9530), in hex; undefined where it says none. */
const digestOf = (header: string | undefined): string | undefined => {
  const base64 = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(header ?? '')?.[1];
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString('hex');
};

export const mediaTypeOf = (header = ''): string => header.split(';')[0]?.trim().toLowerCase() ?? '';

/** The name that a query gives to an upload. */
const nameOf = (query: string): string | undefined => {
  const given = new URLSearchParams(query).get('name') ?? '';
  const name = isStorableText(given) ? baseName(given) : '';
  return name === '' ? undefined : name;
};

/** An error of an upload or a download as a problem for the caller; any other one as it is. */
export const fileProblem = (
  error: unknown,
  { name, label }: ModelField,
  { context }: ServedResource,
): unknown => {
  if (error instanceof FileTooLarge) return tooLarge(error.limit);
  if (error instanceof StoreFull || error instanceof StoreBusy || error instanceof StoreUnavailable)
    return overloaded(error, 5);
  const { first } = context.languages;
  const refused =
    error instanceof PartIncomplete
      ? fieldError(first, name, label, 'incomplete', { part: error.part })
      : error instanceof FileRefused
        ? fieldError(first, name, label, error.rule, error.params)
        : undefined;
  if (refused === undefined) return error;
  return new Problem('invalid_record', { errors: [refused], cause: error });
};

/**
 * The name under which a call uploads: that of its caller, as limits count callers. Anonymous callers are not
 * distinguished, so each of their requests has a name of its own.
 */
export const uploaderOf = ({ principal }: Pick<Call, 'principal'>): string =>
  principal.kind === 'nobody'
    ? `${anonymousUploader}${randomBytes(16).toString('hex')}`
    : callerOf(principal, '');

/** The conditional headers of a request. */
type Conditions = Pick<Call, 'header'>;

/** A record as it names its file, and its version. */
export interface Current {
  readonly file: number | undefined;
  readonly version: number;
}

/** The file of a field of one model. */
export class FileOfRecord {
  readonly #files: StoredFiles;
  readonly #resource: ServedResource;
  readonly #field: ModelField;
  readonly #area: FileArea;
  readonly #show: ReturnType<typeof createShow>;

  constructor(files: StoredFiles, resource: ServedResource, field: ModelField, area: FileArea) {
    this.#files = files;
    this.#resource = resource;
    this.#field = field;
    this.#area = area;
    const source = numberedFiles(resource.records.source);
    this.#show = createShow(resource.context.database, source, { version: versionColumn });
  }

  async read(call: Call): Promise<Answer> {
    const id = recordOf(call, this.#resource.model.key);
    for (let isSecond = false; ; isSecond = true) {
      const { file: number } = await this.current(call.grant, id);
      const file = number === undefined ? undefined : await this.#files.find(number);
      if (file === undefined) throw new Problem('record_not_found');
      try {
        return await this.#answer(call, file);
      } catch (error) {
        // Replaced between the two reads; missing twice, the bytes are lost.
        if (!(error instanceof FileMissing) || isSecond)
          throw fileProblem(error, this.#field, this.#resource);
      }
    }
  }

  async write(call: Call): Promise<Answer> {
    const id = recordOf(call, this.#resource.model.key);
    const about = {
      uploader: uploaderOf(call),
      name: nameOf(call.query),
      claimed: mediaTypeOf(call.header('content-type')),
      checksum: digestOf(call.header('content-digest')),
    };
    const stored = await this.put(this.writeOf(call), id, about, (max) => call.streamBody(max), call);
    return this.described(id, stored);
  }

  /** The write of a call. */
  writeOf(call: Call): RecordWrite {
    return {
      resource: this.#resource,
      grant: call.grant,
      acting: actingFor(call, this.#area),
      isStrict: true,
    };
  }

  /**
   * Stores bytes, and gives them to the record. `source` gets the most bytes that are accepted, once the record is
   * known to accept any.
   * @throws Problem `record_not_found`, `forbidden`, `stale`, `body_too_large`, `invalid_record`, `overloaded`
   */
  async put(
    write: RecordWrite,
    id: RecordId,
    about: Pick<NewUpload, 'uploader' | 'name' | 'claimed' | 'checksum'>,
    source: (max: number) => AsyncIterable<Uint8Array>,
    conditions?: Conditions,
  ): Promise<StoredFile> {
    const { model, context } = this.#resource;
    const { name: field, type, options } = this.#field;
    const { current, versions } = await this.target(write, id, conditions);
    const limits = type.uploads?.(options);
    if (limits === undefined) throw new Error(`${field} is no file`);
    let stored: StoredFile | undefined;
    try {
      const upload = { model: model.name, field, ...about, ...limits };
      stored = await this.#files.upload(upload, source(limits.max));
      await this.save({ ...write, uploader: about.uploader }, id, stored.id, versions);
      this.replaced(current);
      return stored;
    } catch (error) {
      if (stored !== undefined)
        await this.#files.removal
          .discard(stored.id)
          .catch((failure: unknown) => context.report(failure, 'an upload is removed later'));
      throw fileProblem(error, this.#field, this.#resource);
    }
  }

  /** Opens the file of a record; undefined where it has none, or the grant does not let it be read. */
  async open(
    grant: Grant,
    id: RecordId,
  ): Promise<{ readonly file: StoredFile; readonly stream: Readable } | undefined> {
    const current = await this.current(grant, id).catch((error: unknown) => {
      if (error instanceof Problem && error.problem === 'record_not_found') return undefined;
      throw error;
    });
    const file = current?.file === undefined ? undefined : await this.#files.find(current.file);
    if (file === undefined) return undefined;
    try {
      return { file, stream: await this.#files.read(file) };
    } catch (error) {
      throw fileProblem(error, this.#field, this.#resource);
    }
  }

  /** Path of the file of a record in this area, below `BASE_URL`. */
  pathOf(id: RecordId, area: Pick<FileArea, 'path'> = this.#area): string {
    return `${area.path(this.#resource.model)}/${idInPath(id)}/${this.#field.name}`;
  }

  /** The description of a file. It names the path in the API, as records do. */
  describe(id: RecordId, { name, type, size, checksum }: StoredFile): FileValue {
    return { name, type, size, checksum, url: this.pathOf(id, apiArea) };
  }

  /** The response to an upload. */
  described(id: RecordId, file: StoredFile): Answer {
    return { data: { ...this.describe(id, file) }, headers: { ETag: tagOfFile(file) } };
  }

  async remove(call: Call): Promise<Answer> {
    const id = recordOf(call, this.#resource.model.key);
    const write = this.writeOf(call);
    const { current, versions } = await this.target(write, id, call);
    if (current.file === undefined) throw new Problem('record_not_found');
    await this.save(write, id, null, versions);
    this.replaced(current);
    return {};
  }

  /** The file of a record within the caller's rights. @throws Problem `record_not_found` */
  async current(grant: Grant, id: RecordId): Promise<Current> {
    const shown = await this.#show(grant, id);
    if (shown === undefined) throw new Problem('record_not_found');
    const value = (JSON.parse(shown.json) as Readonly<Record<string, Json>>)[this.#field.name];
    return { file: typeof value === 'number' ? value : undefined, version: shown.version ?? 0 };
  }

  /**
   * The file of a record, once the caller may write this field of it. Its versions, where the request demands that the
   * file is a certain one: the record may not change between this check and the write.
   * @throws Problem `record_not_found`, `forbidden`, `stale`
   */
  async target(
    write: RecordWrite,
    id: RecordId,
    conditions: Conditions | undefined,
  ): Promise<{ readonly current: Current; readonly versions: readonly number[] | undefined }> {
    const { grant } = write;
    const { name: field } = this.#field;
    await checkTarget(write, id, undefined);
    const held = grant.held?.filter(({ fields }) => fields.includes(field)) ?? [];
    const settled = held.length === 0 ? grant : await this.#resource.records.settled(grant, held, id);
    if (!settled.writable.has(field)) throw new Problem('forbidden');
    const current = await this.current(grant, id);
    const [ifMatch, ifNoneMatch] = [conditions?.header('if-match'), conditions?.header('if-none-match')];
    if (conditions === undefined || (ifMatch === undefined && ifNoneMatch === undefined))
      return { current, versions: undefined };
    const file = current.file === undefined ? undefined : await this.#files.find(current.file);
    const isWanted = file === undefined ? ifMatch === undefined : !isKnown(conditions, tagOfFile(file));
    if (!isWanted) throw new Problem('stale');
    return { current, versions: [current.version] };
  }

  /** Writes the field. A name that the write ignores is a field that the caller may not write any more. */
  async save(
    write: RecordWrite,
    id: RecordId,
    value: number | null,
    versions: readonly number[] | undefined,
  ): Promise<void> {
    try {
      await update(write, id, { [this.#field.name]: value }, versions);
    } catch (error) {
      const errors = error instanceof Problem ? (error.errors ?? []) : [];
      if (errors.some(({ rule }) => rule === 'ignored')) throw new Problem('forbidden', { cause: error });
      throw error;
    }
  }

  /** Removes the file that the record named before, unless its history keeps it. The response does not wait. */
  replaced({ file }: Current): void {
    if (file === undefined) return;
    this.#files.removal
      .release(file)
      .catch((error: unknown) => this.#resource.context.report(error, 'a replaced file is removed later'));
  }

  async #answer(call: Call, file: StoredFile): Promise<Answer> {
    const { type, size, name } = file;
    const tag = tagOfFile(file);
    const headers = {
      ETag: tag,
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'private, no-cache',
      'Content-Disposition': disposition(isInline(type) ? 'inline' : 'attachment', name),
      'Content-Security-Policy': contentSecurityPolicy,
    };
    if (isKnown(call, tag)) return { status: 304, headers };
    const ifRange = call.header('if-range');
    const asked = ifRange === undefined || ifRange.trim() === tag ? call.header('range') : undefined;
    const range = rangeOf(asked, size);
    const length = range === undefined ? size : range.last - range.first + 1;
    const ofRange =
      range === undefined ? undefined : { 'Content-Range': `bytes ${range.first}-${range.last}/${size}` };
    const stream = await this.#files.read(file, range);
    const body = new Pieces(stream, length);
    return {
      status: range === undefined ? 200 : 206,
      headers: { ...headers, ...ofRange, 'Content-Length': String(length) },
      raw: { type, body },
    };
  }
}
