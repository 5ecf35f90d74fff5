/**
 * `StoredFiles`: uploads and their rows. The way of bytes:
 *
 *     row `arriving` → bytes in the store → row `stored` → a record names it (`held`) → no record does → row gone,
 *     its key in `gatewright_removed_files` → bytes gone → key gone
 *
 * Each arrow is one transaction or one durable step of the store, so a process may end between any two: before the
 * record's own transaction nothing names the file, and the sweep finds its row; after it the foreign key of the
 * record's column keeps the row. Bytes are removed only once no row is left that a record could name.
 */

import { createHash } from 'node:crypto';
import { sql as kysely } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { columnsOfRecord, keyText } from '../database/record-column.ts';
import { toQuery } from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import type { RecordId } from '../fields/key.ts';
import { contentType, isAccepted, peeked, usualName } from './content.ts';
import { shortened } from './disposition.ts';
import { type FileColumn, FileRemoval } from './removal.ts';
import {
  type ByteRange,
  FileMissing,
  type FileStore,
  newFileKey,
  type PartedUpload,
  StoreBusy,
  type StoredPart,
} from './store.ts';

/** A file as its row describes it. */
export interface StoredFile {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256, in hex. */
  readonly checksum: string;
}

/** An upload that begins. */
export interface NewUpload {
  readonly model: string;
  readonly field: string;
  /** The caller, as limits count callers. */
  readonly uploader: string;
  /** Name for people; undefined where the caller gave none. */
  readonly name: string | undefined;
  /** Type that the caller says, without parameters; empty where it says none. */
  readonly claimed: string;
  /** Bytes of the file at most. */
  readonly max: number;
  /** Accepted types; undefined for all. */
  readonly types: readonly string[] | undefined;
  /** SHA-256 that the bytes must have, in hex; undefined where the caller says none. */
  readonly checksum: string | undefined;
}

/** The field to which a caller uploads. */
export type Uploading = Pick<NewUpload, 'model' | 'field' | 'uploader'>;

/** An upload in parts that goes on. `name` and `type` are as its caller says, and may be empty. */
export interface UploadInParts extends StoredFile, PartedUpload {}

/** Begins the names of anonymous uploaders, who are not distinguished: each of their requests has a name of its own. */
export const anonymousUploader = 'once:';

/** The bytes are refused, although all of them could be stored. */
export class FileRefused extends Error {
  readonly rule: 'file_type' | 'checksum';
  readonly params: Readonly<Record<string, string>>;

  constructor(rule: FileRefused['rule'], params: Readonly<Record<string, string>> = {}) {
    super(`a file is refused: ${rule}`);
    this.rule = rule;
    this.params = params;
  }
}

/** A field of a record that names a file from now on. */
export interface NamedFile {
  readonly field: string;
  readonly file: number;
}

/** The record that names files, and the callers who may have uploaded them. */
export interface Holder {
  readonly model: string;
  readonly record: RecordId;
  readonly uploaders: readonly string[];
  /** True if files that this record has named before are accepted too: it is restored. */
  readonly restores: boolean;
}

/**
 * Uploads at the same time: of the process, and of one caller.
 * @limit Files | uploads of a process at the same time | count | 503 `overloaded`
 */
const maxUploads = 64;
/** @limit Files | uploads of all anonymous callers at the same time | count | 503 `overloaded` */
const maxAnonymousUploads = 32;
/** @limit Files | uploads of one caller at the same time | count | 503 `overloaded` */
const maxUploadsOfCaller = 8;

/** @limit Files | uploads of one caller that no record names yet | count | 503 `overloaded` */
const maxOpenOfCaller = 20;

/**
 * Bytes of a part at least, so that few requests bring a large file; S3 takes parts from 5 MiB on.
 * @limit Files | bytes of a part of an upload, at least | bytes | larger parts for a larger file
 */
const leastPartSize = 8 * 1_048_576;

/** Parts of an upload at most. S3 takes 10,000, and lists 1,000 by one request. */
const mostParts = 1_000;

interface FileRow extends Omit<StoredFile, 'id' | 'size'> {
  readonly id: number | string;
  readonly size: number | string;
}

const toFile = ({ id, size, ...row }: FileRow): StoredFile => ({
  ...row,
  id: Number(id),
  size: Number(size),
});

const fileColumns = ['id', 'key', 'name', 'type', 'size', 'checksum'] as const;

/** Uploads, stored files, and the removal of those that nothing names. */
export class StoredFiles {
  readonly #database: Database;
  readonly #store: FileStore;
  /** Removes what nothing names. */
  readonly removal: FileRemoval;
  readonly #uploads = new Map<string, number>();
  #open = 0;
  #anonymous = 0;

  /** @param columns of all models: a file that none of them names is removed */
  constructor(database: Database, store: FileStore, columns: readonly FileColumn[]) {
    this.#database = database;
    this.#store = store;
    this.removal = new FileRemoval(database, store, columns);
  }

  /**
   * Stores the bytes of an upload. They are durable when it resolves, and belong to no record yet.
   * @throws FileRefused; FileTooLarge, StoreFull, StoreBusy, StoreUnavailable; the error of the source
   */
  async upload(upload: NewUpload, source: AsyncIterable<Uint8Array>): Promise<StoredFile> {
    const end = this.#begin(upload.uploader);
    try {
      const { head, whole, stop } = await peeked(source);
      const type = contentType(head, upload.claimed);
      if (!isAccepted(type, upload.types)) {
        await stop();
        throw new FileRefused('file_type', { type });
      }
      const name = shortened(upload.name ?? usualName(upload.field, type));
      const key = newFileKey();
      const id = await this.#insert(upload, { key, name, type });
      try {
        const { size, checksum } = await this.#store.write(key, whole, upload.max);
        if (upload.checksum !== undefined && upload.checksum !== checksum) throw new FileRefused('checksum');
        await this.#complete(id, { size, checksum });
        return { id, key, name, type, size, checksum };
      } catch (error) {
        // Without it, the sweep removes the row and what is stored.
        await this.removal.discard(id).catch(() => {});
        throw error;
      }
    } finally {
      end();
    }
  }

  /**
   * Begins an upload in parts, which may last for hours and survives the end of the process.
   * @throws StoreBusy where its caller has begun too many; StoreUnavailable
   */
  async begin(upload: NewUpload, size: number): Promise<UploadInParts> {
    await this.#assertFewOpen(upload.uploader);
    const key = newFileKey();
    const about = { key, name: upload.name ?? '', type: upload.claimed };
    const partSize = Math.max(leastPartSize, Math.ceil(size / mostParts));
    const of = { size, checksum: upload.checksum ?? '', part_size: partSize };
    const id = await this.#insert(upload, about, of);
    try {
      const name = await this.#store.begin(key);
      await this.#set(id, { upload: name });
      return { id, ...about, checksum: of.checksum, size, partSize, upload: name };
    } catch (error) {
      await this.removal.discard(id).catch(() => {});
      throw error;
    }
  }

  /** An upload in parts that its caller has begun for a field; undefined where there is none that goes on. */
  async begun({ model, field, uploader }: Uploading, id: number): Promise<UploadInParts | undefined> {
    const query = tablesOf(this.#database)
      .selectFrom('gatewright_files')
      .select([...fileColumns, 'part_size', 'upload'])
      .where('id', '=', id)
      .where('model', '=', model)
      .where('field', '=', field)
      .where('uploader', '=', uploader)
      .where('state', '<>', 'held')
      .where('upload', 'is not', null);
    const row = await this.#database.get<FileRow & { part_size: number | string; upload: string }>(
      toQuery(query),
    );
    return row && { ...toFile(row), partSize: Number(row.part_size), upload: row.upload };
  }

  /** The parts that are stored, by number. */
  parts(upload: UploadInParts): Promise<readonly StoredPart[]> {
    return this.#store.parts(upload);
  }

  /** Stores one part. @throws PartIncomplete, FileTooLarge, StoreUnavailable; the error of the source */
  async writePart(
    upload: UploadInParts,
    number: number,
    uploader: string,
    source: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const end = this.#begin(uploader);
    try {
      await this.#store.writePart(upload, number, source);
      await this.#set(upload.id, {});
    } finally {
      end();
    }
  }

  /**
   * Joins the parts, and reads the whole once: its type and its checksum are those of the bytes, not of a claim.
   * @throws PartIncomplete, FileRefused, FileMissing, StoreUnavailable
   */
  async finish(
    upload: UploadInParts,
    { field, types }: Pick<NewUpload, 'field' | 'types'>,
  ): Promise<StoredFile> {
    const { id, key, size } = upload;
    await this.#store.join(upload);
    const { head, whole } = await peeked(await this.#store.read(key));
    const hash = createHash('sha256');
    for await (const chunk of whole) hash.update(chunk);
    const checksum = hash.digest('hex');
    const type = contentType(head, upload.type);
    const isOther = upload.checksum !== '' && upload.checksum !== checksum;
    if (isOther || !isAccepted(type, types)) {
      await this.removal.discard(id);
      throw isOther ? new FileRefused('checksum') : new FileRefused('file_type', { type });
    }
    const name = upload.name === '' ? usualName(field, type) : shortened(upload.name);
    try {
      await this.#complete(id, { size, checksum, type, name });
    } catch (error) {
      // Finished by another request at the same time; else the sweep has removed it.
      if (!(error instanceof FileMissing) || (await this.find(id)) === undefined) throw error;
    }
    return { id, key, name, type, size, checksum };
  }

  /** The file of a row; undefined where there is none. */
  async find(id: number): Promise<StoredFile | undefined> {
    const query = tablesOf(this.#database)
      .selectFrom('gatewright_files')
      .select(fileColumns)
      .where('id', '=', id);
    const row = await this.#database.get<FileRow>(toQuery(query));
    return row && toFile(row);
  }

  /** Opens the bytes of a file. @throws FileMissing, StoreUnavailable */
  read({ key }: StoredFile, range?: ByteRange): ReturnType<FileStore['read']> {
    return this.#store.read(key, range);
  }

  /**
   * Gives uploads to the record that names them, in the transaction of its write. An upload is given once, and only by
   * its uploader. Returns the field whose file the caller may not name; undefined where all are given.
   */
  async hold(
    transaction: Transaction,
    { model, record, uploaders, restores }: Holder,
    named: readonly NamedFile[],
  ): Promise<string | undefined> {
    const about = columnsOfRecord(record);
    for (const { field, file } of named) {
      const update = tablesOf(this.#database)
        .updateTable('gatewright_files')
        .set({ state: 'held', ...about })
        .where('id', '=', file)
        .where('model', '=', model)
        .where((eb) => {
          const fresh = eb.and([
            eb('state', '=', 'stored'),
            eb('field', '=', field),
            // No uploader has an empty name: without any uploader nothing is found.
            eb('uploader', 'in', ['', ...uploaders]),
          ]);
          if (!restores) return fresh;
          const text = keyText(record);
          const own = eb.and([
            eb('state', '=', 'held'),
            eb('record_id', '=', about.record_id),
            text === null ? eb('record_key', 'is', null) : eb('record_key', '=', text),
          ]);
          return eb.or([fresh, own]);
        });
      if ((await transaction.run(toQuery(update))) !== 1) return field;
    }
    return undefined;
  }

  /** The files that a record has named, by their checksums: two of one checksum have the same bytes. */
  async ofRecord(
    model: string,
    record: RecordId,
    reader: Pick<Transaction, 'all'> = this.#database,
  ): Promise<ReadonlyMap<string, number>> {
    const { record_id, record_key } = columnsOfRecord(record);
    const query = tablesOf(this.#database)
      .selectFrom('gatewright_files')
      .select(['id', 'checksum'])
      .where('model', '=', model)
      .where('record_id', '=', record_id)
      .where('record_key', record_key === null ? 'is' : '=', record_key)
      .where('state', '=', 'held');
    const rows = await reader.all<{ id: number | string; checksum: string }>(toQuery(query));
    return new Map(rows.map(({ id, checksum }) => [checksum, Number(id)]));
  }

  close(): void {
    this.#store.close();
  }

  /** Counts an upload; returns the function that ends it. @throws StoreBusy */
  #begin(uploader: string): () => void {
    const ofCaller = this.#uploads.get(uploader) ?? 0;
    const anonymous = uploader.startsWith(anonymousUploader) ? 1 : 0;
    const isFull = this.#open >= maxUploads || ofCaller >= maxUploadsOfCaller;
    if (isFull || this.#anonymous + anonymous > maxAnonymousUploads)
      throw new StoreBusy('too many uploads at the same time');
    this.#open += 1;
    this.#anonymous += anonymous;
    this.#uploads.set(uploader, ofCaller + 1);
    return () => {
      this.#open -= 1;
      this.#anonymous -= anonymous;
      const left = (this.#uploads.get(uploader) ?? 1) - 1;
      if (left > 0) this.#uploads.set(uploader, left);
      else this.#uploads.delete(uploader);
    };
  }

  /** @throws StoreBusy where a caller has as many uploads that no record names as they may have */
  async #assertFewOpen(uploader: string): Promise<void> {
    const open = tablesOf(this.#database)
      .selectFrom('gatewright_files')
      .select('id')
      .where('uploader', '=', uploader)
      .where('state', '<>', 'held')
      .limit(maxOpenOfCaller);
    const rows = await this.#database.all(toQuery(open));
    if (rows.length === maxOpenOfCaller) throw new StoreBusy('too many uploads that no record names');
  }

  async #insert(
    { model, field, uploader }: NewUpload,
    about: Pick<StoredFile, 'key' | 'name' | 'type'>,
    of: { readonly size?: number; readonly checksum?: string; readonly part_size?: number } = {},
  ): Promise<number> {
    const changed_at = kysely<string>`${this.#database.dialect.now}`;
    const held = { model, field, uploader, changed_at };
    const row = { size: 0, checksum: '', ...of, ...about, ...held, state: 'arriving' } as const;
    const insert = tablesOf(this.#database).insertInto('gatewright_files').values(row).returning('id');
    const [inserted] = await this.#database.execute<{ id: number | string }>(toQuery(insert));
    if (inserted === undefined) throw new Error('an insert returned no row');
    return Number(inserted.id);
  }

  /** Changes the row of an upload that goes on. @throws FileMissing where the sweep has removed it meanwhile */
  async #set(
    id: number,
    values: Partial<Pick<StoredFile, 'size' | 'checksum' | 'type' | 'name'>> & {
      readonly upload?: string;
      readonly state?: 'stored';
    },
  ): Promise<void> {
    const changed_at = kysely<string>`${this.#database.dialect.now}`;
    const update = tablesOf(this.#database)
      .updateTable('gatewright_files')
      .set({ ...values, changed_at })
      .where('id', '=', id)
      .where('state', '=', 'arriving')
      .returning('id');
    const changed = await this.#database.execute(toQuery(update));
    if (changed.length === 0) throw new FileMissing('an upload that took too long');
  }

  #complete(
    id: number,
    values: Pick<StoredFile, 'size' | 'checksum'> & Partial<Pick<StoredFile, 'type' | 'name'>>,
  ): Promise<void> {
    return this.#set(id, { ...values, state: 'stored' });
  }
}
