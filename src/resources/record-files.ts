/**
 * The files of records: `RecordFiles` over a store. It is loaded only in a service with a model that has a field for
 * them, so other rooms import its types alone.
 */

import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Database, Transaction } from '../database/database.ts';
import type { FileValue } from '../fields/file.ts';
import type { RecordId } from '../fields/key.ts';
import { type StoredFile, StoredFiles } from '../files/files.ts';
import type { FileColumn } from '../files/removal.ts';
import { type FileStore, FileTooLarge } from '../files/store.ts';
import type { Call } from '../http/endpoint.ts';
import { baseName, type UploadedFile } from '../http/uploads.ts';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import type { Models } from '../model/models.ts';
import type { ModelField } from '../model/resource.ts';
import type { OpenedFile } from '../model/scope.ts';
import type { Grant } from '../policy/grant.ts';
import { apiArea } from './area.ts';
import { fileEndpoints } from './endpoints/file-endpoints.ts';
import { FileOfRecord, fileProblem, uploaderOf } from './endpoints/file-of-record.ts';
import type {
  CodeUpload,
  FileArea,
  FileWrite,
  HeldFiles,
  ReceivedFiles,
  RecordFiles,
  ServedResource,
  SharedByAction,
} from './operations/served-resource.ts';

/** The columns of all models that name files. */
const fileColumns = (models: Models): readonly FileColumn[] =>
  [...models.values()].flatMap(({ fields, stored }) =>
    [...fields.values()].flatMap(({ type, column }) =>
      type.uploads === undefined ? [] : [{ table: { schema: stored.schema, name: stored.name }, column }],
    ),
  );

/** The files of a service. */
export class ServedFiles implements RecordFiles {
  readonly #files: StoredFiles;
  readonly #ofFields = new WeakMap<ModelField, FileOfRecord>();

  constructor(database: Database, store: FileStore, models: Models) {
    this.#files = new StoredFiles(database, store, fileColumns(models));
  }

  hold(transaction: Transaction, { named, ...holder }: HeldFiles): Promise<string | undefined> {
    return this.#files.hold(transaction, holder, named);
  }

  async restored(
    { model, files }: ServedResource,
    record: RecordId,
    values: JsonObject,
    within?: Transaction,
  ): Promise<JsonObject> {
    const known = await this.#files.ofRecord(model.name, record, within);
    const numbered = files.map(({ name }) => {
      const value = values[name];
      // Bytes that are gone do not come back: the field is empty, unless it is required.
      return [name, isJsonObject(value) ? (known.get(String(value['checksum'])) ?? null) : null];
    });
    return { ...values, ...Object.fromEntries(numbered) };
  }

  async receive(resource: ServedResource, call: Call): Promise<ReceivedFiles> {
    const uploader = uploaderOf(call);
    const body: Record<string, Json> = { ...call.body };
    const stored: StoredFile[] = [];
    const end = async (): Promise<void> => {
      for (const { id } of stored)
        await this.#files.removal
          .discard(id)
          .catch((error: unknown) => resource.context.report(error, 'an upload is removed later'));
    };
    try {
      for (const file of call.files) {
        const made = await this.#receiveOne(resource, call, uploader, file);
        if (made !== undefined) stored.push(made);
        // Null for one that the caller may not set: such a name is ignored, or refused by a strict write.
        body[file.field] = made?.id ?? null;
      }
    } catch (error) {
      await end();
      throw error;
    }
    const said = [call.body, ...stored.map(({ checksum, name }) => [checksum, name])];
    return { body, bytes: Buffer.from(JSON.stringify(said)), uploader, end };
  }

  async #receiveOne(
    resource: ServedResource,
    { grant }: Call,
    uploader: string,
    { field: name, filename, type, path, size }: UploadedFile,
  ): Promise<StoredFile | undefined> {
    const { model } = resource;
    const field = grant.writable.has(name) ? model.fields.get(name) : undefined;
    const limits = field?.type.uploads?.(field.options);
    if (field === undefined || limits === undefined) return undefined;
    try {
      if (size > limits.max) throw new FileTooLarge(limits.max);
      const given = { name: filename === '' ? undefined : filename, claimed: type, checksum: undefined };
      const upload = { model: model.name, field: name, uploader, ...given, ...limits };
      return await this.#files.upload(upload, createReadStream(path));
    } catch (error) {
      throw fileProblem(error, field, resource);
    }
  }

  async upload(
    write: FileWrite,
    id: RecordId,
    field: ModelField,
    { source, name, type = '' }: CodeUpload,
  ): Promise<FileValue> {
    const { reason, principal } = write.acting;
    // Code that acts for the application, and for callers who have no name, uploads for this call alone.
    const uploader = reason === undefined ? uploaderOf({ principal }) : `system:${randomUUID()}`;
    const given = name === undefined ? '' : baseName(name);
    const about = {
      uploader,
      name: given === '' ? undefined : given,
      claimed: type.toLowerCase(),
      checksum: undefined,
    };
    const bytes = source instanceof Uint8Array ? Readable.from([source], { objectMode: false }) : source;
    const file = this.#fileOf(write.resource, field);
    const stored = await file.put({ ...write, isStrict: true }, id, about, () => bytes);
    return file.describe(id, stored);
  }

  async download(
    resource: ServedResource,
    grant: Grant,
    id: RecordId,
    field: ModelField,
  ): Promise<OpenedFile | undefined> {
    const file = this.#fileOf(resource, field);
    const opened = await file.open(grant, id);
    return opened && { ...file.describe(id, opened.file), body: opened.stream };
  }

  /** The file of a field, as the API has it; made once for a field. */
  #fileOf(resource: ServedResource, field: ModelField): FileOfRecord {
    const known = this.#ofFields.get(field);
    if (known !== undefined) return known;
    const made = new FileOfRecord(this.#files, resource, field, apiArea);
    this.#ofFields.set(field, made);
    return made;
  }

  endpoints(resource: ServedResource, area: FileArea, common: SharedByAction) {
    return resource.files.flatMap((field) => fileEndpoints(this.#files, resource, field, area, common));
  }

  /** Removes every file that nothing names. `pause` is awaited between steps, and throws to end it. */
  sweep(pause: () => Promise<void>): Promise<void> {
    return this.#files.removal.sweep(pause);
  }

  close(): void {
    this.#files.close();
  }
}
