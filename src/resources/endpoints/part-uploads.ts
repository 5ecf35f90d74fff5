/**
 * Uploads in parts: begun with size and checksum, continued after any interruption, finished once all parts are there.
 * Each request has the rights of an update of the record, and only the caller who began an upload goes on with it.
 */

import { field as fields } from '../../fields/define.ts';
import type { JsonSchema } from '../../fields/field.ts';
import type { RecordId } from '../../fields/key.ts';
import type { StoredFiles, UploadInParts } from '../../files/files.ts';
import { FileMissing, partCount, partLength } from '../../files/store.ts';
import { idOf, recordOf } from '../../http/call.ts';
import type { Answer, Call, Endpoint, EndpointDocs } from '../../http/endpoint.ts';
import { createInput, type Input } from '../../http/input.ts';
import { baseName } from '../../http/uploads.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import type { Label } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { ModelField } from '../../model/resource.ts';
import type { FileArea, ServedResource, SharedByAction } from '../operations/served-resource.ts';
import { type FileOfRecord, fileProblem, uploaderOf } from './file-of-record.ts';

/** The parts of uploads to a field of one model. */
export class PartUploads {
  readonly #files: StoredFiles;
  readonly #resource: ServedResource;
  readonly #field: ModelField;
  readonly #file: FileOfRecord;
  readonly input: Input;

  constructor(files: StoredFiles, resource: ServedResource, field: ModelField, file: FileOfRecord) {
    this.#files = files;
    this.#resource = resource;
    this.#field = field;
    this.#file = file;
    const { max = 0 } = field.type.uploads?.(field.options) ?? {};
    this.input = createInput(
      {
        name: fields.string({ max: 255 }),
        type: fields.string({ max: 255 }),
        size: fields.integer({ required: true, min: 0, max }),
        checksum: fields.string({ pattern: '^[0-9a-f]{64}$' }),
      },
      resource.context.languages.first,
    );
  }

  /** Begins an upload. @throws Problem `record_not_found`, `forbidden`, `invalid_record`, `overloaded` */
  async begin(call: Call): Promise<Answer> {
    await this.#file.target(this.#file.writeOf(call), this.#recordOf(call), call);
    // Only the caller who began goes on, and anonymous ones are not distinguished.
    if (call.principal.kind === 'nobody') throw new Problem('forbidden');
    const { values, errors } = this.input.read(call.body);
    if (errors.length > 0) throw new Problem('invalid_record', { errors });
    const text = (name: string): string => String(values[name] ?? '');
    const name = baseName(text('name'));
    const begun = await this.#guarded(() =>
      this.#files.begin(
        {
          ...this.#uploading(call),
          name: name === '' ? undefined : name,
          claimed: text('type').toLowerCase(),
          max: 0,
          types: undefined,
          checksum: text('checksum') === '' ? undefined : text('checksum'),
        },
        Number(values['size']),
      ),
    );
    return { data: this.#described(this.#recordOf(call), begun, new Set()) };
  }

  /** The parts of an upload, and which of them are stored. @throws Problem `record_not_found`, `forbidden` */
  async show(call: Call): Promise<Answer> {
    const begun = await this.#begun(call, this.#recordOf(call));
    const stored = await this.#guarded(() => this.#files.parts(begun));
    return {
      data: this.#described(this.#recordOf(call), begun, new Set(stored.map(({ number }) => number))),
    };
  }

  /** Stores a part, which may be sent again. @throws Problem `record_not_found`, `forbidden`, `body_too_large` */
  async writePart(call: Call): Promise<Answer> {
    const begun = await this.#begun(call, this.#recordOf(call));
    const number = idOf(call, 'part');
    const length = partLength(begun, number);
    if (length === undefined) throw new Problem('record_not_found');
    const source = call.streamBody(length);
    await this.#guarded(() => this.#files.writePart(begun, number, uploaderOf(call), source));
    return {};
  }

  /**
   * Joins the parts, and gives the file to the record. Sent again after a lost response, it says the same.
   * @throws Problem `record_not_found`, `forbidden`, `stale`, `invalid_record`
   */
  async finish(call: Call): Promise<Answer> {
    const id = this.#recordOf(call);
    const write = this.#file.writeOf(call);
    const { current, versions } = await this.#file.target(write, id, call);
    const upload = idOf(call, 'upload');
    const uploading = this.#uploading(call);
    if (current.file === upload) return this.#answer(id, upload);
    const begun = await this.#files.begun(uploading, upload);
    if (begun === undefined) throw new Problem('record_not_found');
    const { types } = this.#field.type.uploads?.(this.#field.options) ?? {};
    const file = await this.#guarded(() => this.#files.finish(begun, { field: this.#field.name, types }));
    try {
      await this.#file.save({ ...write, uploader: uploading.uploader }, id, file.id, versions);
    } catch (error) {
      // Finished by another request at the same time.
      if ((await this.#file.current(call.grant, id)).file === file.id) return this.#answer(id, file.id);
      await this.#files.removal.discard(file.id).catch(() => {});
      throw error;
    }
    this.#file.replaced(current);
    return this.#answer(id, file.id);
  }

  /** Ends an upload, and removes its parts. @throws Problem `record_not_found`, `forbidden` */
  async cancel(call: Call): Promise<Answer> {
    const begun = await this.#begun(call, this.#recordOf(call));
    await this.#guarded(() => this.#files.removal.discard(begun.id));
    return {};
  }

  #recordOf(call: Call): RecordId {
    return recordOf(call, this.#resource.model.key);
  }

  #uploading(call: Call): { readonly model: string; readonly field: string; readonly uploader: string } {
    return { model: this.#resource.model.name, field: this.#field.name, uploader: uploaderOf(call) };
  }

  async #begun(call: Call, id: RecordId): Promise<UploadInParts> {
    await this.#file.target(this.#file.writeOf(call), id, call);
    const begun = await this.#files.begun(this.#uploading(call), idOf(call, 'upload'));
    if (begun === undefined) throw new Problem('record_not_found');
    return begun;
  }

  async #answer(id: RecordId, number: number): Promise<Answer> {
    const file = await this.#files.find(number);
    if (file === undefined) throw new Problem('record_not_found');
    return this.#file.described(id, file);
  }

  #described(record: RecordId, upload: UploadInParts, stored: ReadonlySet<number>): JsonObject {
    const { id, size, partSize } = upload;
    const at = `${this.#file.pathOf(record)}/upload/${id}`;
    const parts = Array.from({ length: partCount(upload) }, (_, index): Json => {
      const number = index + 1;
      return {
        number,
        size: partLength(upload, number) ?? 0,
        url: `${at}/${number}`,
        stored: stored.has(number),
      };
    });
    return { id, url: at, size, part_size: partSize, parts };
  }

  /** Runs work with the store. @throws Problem for an error of the store or of the bytes */
  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // The sweep has removed an upload that went on for too long.
      if (error instanceof FileMissing) throw new Problem('record_not_found', { cause: error });
      throw fileProblem(error, this.#field, this.#resource);
    }
  }
}

const partSchema = {
  type: 'object',
  properties: {
    number: { type: 'integer' },
    size: { type: 'integer' },
    url: { type: 'string' },
    stored: { type: 'boolean' },
  },
  required: ['number', 'size', 'url', 'stored'],
} as const;

const uploadSchema = {
  title: 'PartedUpload',
  type: 'object',
  properties: {
    id: { type: 'integer' },
    url: { type: 'string' },
    size: { type: 'integer' },
    part_size: { type: 'integer' },
    parts: { type: 'array', items: partSchema },
  },
  required: ['id', 'url', 'size', 'part_size', 'parts'],
} as const;

/** The common parts of the endpoints of a field. */
interface FieldDocs {
  readonly of: Pick<Endpoint, 'source' | 'path' | 'reaches'>;
  readonly common: SharedByAction;
  readonly noun: string;
  readonly title: (chinese: string, english: string) => Label;
  readonly about: Pick<EndpointDocs, 'tag' | 'part'>;
  readonly data: JsonSchema | undefined;
}

/** The endpoints of uploads in parts. */
export const partEndpoints = (
  parts: PartUploads,
  { of, common, noun, title, about, data }: FieldDocs,
  { operation }: FileArea,
): readonly Endpoint[] => {
  const begin = `${of.path}/upload`;
  const one = `${begin}/:upload`;
  const shared = { ...of, ...common('update') };
  const integer = { type: 'integer', minimum: 1 } as const;
  const problems = ['record_not_found', 'overloaded'] as const;
  const docs = { ...about, params: { upload: integer }, problems };
  return [
    {
      ...shared,
      operation: operation('begin', `${noun}Upload`),
      method: 'POST',
      path: begin,
      accepts: 'json',
      input: parts.input.schema,
      status: 201,
      docs: {
        summary: title('开始分段上传', 'Begin an upload in parts of'),
        ...about,
        data: uploadSchema,
        problems: [...problems, 'invalid_record'],
      },
      handle: (call) => parts.begin(call),
    },
    {
      ...shared,
      operation: operation('get', `${noun}Upload`),
      method: 'GET',
      path: one,
      accepts: 'nothing',
      docs: { ...docs, summary: title('查看分段上传', 'Show an upload in parts of'), data: uploadSchema },
      handle: (call) => parts.show(call),
    },
    {
      ...shared,
      operation: operation('put', `${noun}Part`),
      method: 'PUT',
      path: `${one}/:part`,
      accepts: 'bytes',
      docs: {
        ...docs,
        summary: title('上传一段', 'Upload a part of'),
        params: { upload: integer, part: integer },
        problems: [...problems, 'body_too_large', 'invalid_record'],
      },
      handle: (call) => parts.writePart(call),
    },
    {
      ...shared,
      operation: operation('finish', `${noun}Upload`),
      method: 'POST',
      path: one,
      accepts: 'nothing',
      docs: {
        ...docs,
        summary: title('完成分段上传', 'Finish an upload in parts of'),
        data,
        etag: true,
        ifMatch: true,
        problems: [...problems, 'stale', 'invalid_record'],
      },
      handle: (call) => parts.finish(call),
    },
    {
      ...shared,
      operation: operation('cancel', `${noun}Upload`),
      method: 'DELETE',
      path: one,
      accepts: 'nothing',
      docs: { ...docs, summary: title('取消分段上传', 'Cancel an upload in parts of') },
      handle: (call) => parts.cancel(call),
    },
  ];
};
