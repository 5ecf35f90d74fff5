/** Imports one file in transactions that also store the position reached, so that a later run can continue. */

import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ImportStore, StoredPlace } from '../../ledger/imports.ts';
import {
  type Frame,
  FrameError,
  type FramePlace,
  Frames,
  fileStart,
  type ImportCounts,
  type ImportInto,
  type ImportLine,
  importLines,
  type ReadLine,
} from '../../resources/operations.ts';
import { CommandError } from '../io.ts';

/** A position in this file that an import has reached. */
export interface FoundPlace {
  readonly stored: StoredPlace;
  readonly at: FramePlace;
}

/** Bytes of one read. */
const readSize = 1024 * 1024;

/**
 * Returns the furthest of the positions whose hash matches the beginning of the file: a file is recognised by its
 * content, not by its name, and may have grown.
 */
export const furthestPlace = async (
  file: FileHandle,
  size: number,
  places: readonly StoredPlace[],
): Promise<FoundPlace | undefined> => {
  const { hash } = fileStart();
  const buffer = Buffer.allocUnsafe(readSize);
  let found: FoundPlace | undefined;
  let read = 0;
  for (const stored of [...places].sort((a, b) => a.bytes - b.bytes)) {
    if (stored.bytes > size) break;
    while (read < stored.bytes) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(readSize, stored.bytes - read), read);
      if (bytesRead === 0) return found;
      hash.update(buffer.subarray(0, bytesRead));
      read += bytesRead;
    }
    if (hash.copy().digest('hex') === stored.digest)
      found = { stored, at: { bytes: stored.bytes, lines: stored.lines, hash: hash.copy() } };
  }
  return found;
};

/**
 * Target duration of a transaction in milliseconds: long enough that a commit costs little of it, short enough that
 * other writers of a single-writer database wait less than half a second even if they miss one pause.
 */
const chunkTime = 200;

/** Numbers of lines in the first transaction, and the minimum and maximum of later ones. */
const firstLines = 200;
const minLines = 20;
const maxLines = 20_000;

/** Maximum number of bytes of a file in one transaction. */
const chunkBytes = 8 * 1024 * 1024;

/**
 * Time in milliseconds, and interval, for which an import that holds the resource is watched before it counts as
 * dead.
 */
const watchTime = 2_000;
const watchInterval = 100;

/** A file, and the steps through which its records go. */
export interface FileImportParts {
  readonly file: FileHandle;
  /** Size in bytes when it was opened. */
  readonly size: number;
  /** True for CSV: a header line, and line ends within quotes. */
  readonly csv: boolean;
  /** Creates the parser of its lines; for CSV, from the record of the header line. */
  readonly reader: (head: Frame | undefined) => ReadLine;
  readonly into: ImportInto;
  readonly imports: ImportStore;
  /** Milliseconds between two transactions, in which other writes run. */
  readonly pause: number;
  /** Awaited before each transaction: reads the user's current rights. */
  readonly refresh: () => Promise<void>;
  readonly stopped: () => boolean;
  readonly note: (sentence: string) => void;
  /** Called after each transaction. */
  readonly progress: (state: ImportState) => void;
}

/** The progress of the file, including earlier runs. */
export interface ImportState extends ImportCounts {
  readonly bytes: number;
  readonly lines: number;
  /** Rows of this run alone. */
  readonly rows: number;
  /** True if the whole file is imported. */
  readonly finished: boolean;
}

const nothing: ImportState = { bytes: 0, lines: 0, created: 0, updated: 0, rows: 0, finished: false };

/**
 * The import of one file, from the position where the last one stopped, in transactions that also store the position.
 */
export class FileImport {
  readonly #parts: FileImportParts;
  readonly #model: string;
  readonly #run = randomUUID();
  #placeId: number | undefined;
  #reached = nothing;
  #chunkLines = firstLines;
  /** Milliseconds per line of the last transaction. */
  #pace = 0;

  constructor(parts: FileImportParts) {
    this.#parts = parts;
    this.#model = parts.into.resource.model.name;
  }

  /** The rows in the database, also after `run` has thrown. */
  get reached(): ImportState {
    return this.#reached;
  }

  /**
   * Imports the rest of the file, unless it is stopped.
   * @throws RefusedLinesError, FailedLineError, FrameError, ImportTakenError, CommandError, Problem
   */
  async run(): Promise<void> {
    const { imports } = this.#parts;
    await this.#assertAlone();
    const places = await imports.take(this.#model, this.#run);
    try {
      const { frames, read } = await this.#open(places);
      await this.#work(frames, read);
    } finally {
      await imports.release(this.#model, this.#run).catch(() => {});
    }
  }

  /** Called after the end was reported: from then on the same file starts from its beginning. */
  async forget(): Promise<void> {
    if (this.#placeId !== undefined) await this.#parts.imports.forget(this.#placeId);
  }

  /** Waits until the run that holds the resource is dead: a live one makes progress. */
  async #assertAlone(): Promise<void> {
    const { imports, into } = this.#parts;
    const first = await imports.holder(this.#model);
    const until = performance.now() + watchTime;
    for (let now = first; now !== undefined && performance.now() < until; ) {
      await delay(watchInterval);
      now = await imports.holder(this.#model);
      if (now !== undefined && (now.run !== first?.run || now.steps !== first.steps))
        throw new CommandError(
          `another import into ${into.resource.model.path} is running: wait for its end`,
        );
    }
  }

  /** Opens the file at the position up to which it has been imported. */
  async #open(places: readonly StoredPlace[]): Promise<{ frames: Frames; read: ReadLine }> {
    const { file, size, csv, reader, note } = this.#parts;
    const begin = new Frames(file, { size, quoted: csv });
    const read = reader(csv ? await this.#head(begin) : undefined);
    const found = await furthestPlace(file, size, places);
    if (found === undefined) {
      for (const { lines, changedAt } of places)
        note(
          `an import stopped behind line ${lines} at ${changedAt}: of another file, or of this one before it was changed above that line. This one begins with its first record`,
        );
      return { frames: begin, read };
    }
    const { id, bytes, lines, created, updated, changedAt } = found.stored;
    note(`going on behind line ${lines}, up to which this file was imported at ${changedAt}`);
    this.#placeId = id;
    this.#reached = { ...nothing, bytes, lines, created, updated };
    return { frames: new Frames(file, { size, quoted: csv, from: found.at }), read };
  }

  async #head(frames: Frames): Promise<Frame> {
    for (;;) {
      const frame = frames.next();
      if (frame !== undefined && frame.text !== '') return frame;
      if (frame === undefined && !(await frames.more()))
        throw new CommandError('the file is empty: its first line has to name the fields');
    }
  }

  async #work(frames: Frames, read: ReadLine): Promise<void> {
    const { pause, stopped, refresh, progress } = this.#parts;
    for (let free = 0; ; free = performance.now() + pause) {
      const lines = await this.#collect(frames, read);
      if (lines.length === 0) {
        this.#reached = { ...this.#reached, finished: true };
        return;
      }
      await delay(Math.max(0, free - performance.now()));
      if (stopped()) return;
      await refresh();
      const began = performance.now();
      await this.#write(frames, lines);
      this.#adapt(lines.length, performance.now() - began);
      progress(this.#reached);
    }
  }

  /** Returns lines for one transaction; none at the end of the file. */
  async #collect(frames: Frames, read: ReadLine): Promise<ImportLine[]> {
    const lines: ImportLine[] = [];
    const { bytes } = frames;
    try {
      while (lines.length < this.#chunkLines && (lines.length === 0 || frames.bytes - bytes < chunkBytes)) {
        const frame = frames.next();
        if (frame === undefined) {
          if (await frames.more()) continue;
          break;
        }
        const line = read(frame);
        if (line !== undefined) lines.push(line);
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      const flaw = { field: '', rule: 'custom', message: error.message };
      lines.push({ number: error.line, values: {}, errors: [flaw] });
    }
    return lines;
  }

  async #write(frames: Frames, lines: readonly ImportLine[]): Promise<void> {
    const { into, imports } = this.#parts;
    const before = this.#reached;
    const { bytes, lines: read, hash } = frames.place();
    const digest = hash.digest('hex');
    let id = this.#placeId;
    let next = before;
    await importLines(into, lines, async (transaction, { created, updated }) => {
      const counts = { created: before.created + created, updated: before.updated + updated };
      const place = { bytes, digest, lines: read, ...counts };
      id = await imports.move(transaction, this.#model, this.#run, place, this.#placeId);
      next = { ...before, ...counts, bytes, lines: read, rows: before.rows + created + updated };
    });
    this.#placeId = id;
    this.#reached = next;
  }

  /** Returns the number of lines for the target duration, by the slower of the last two transactions. */
  #adapt(lines: number, milliseconds: number): void {
    const pace = Math.max(milliseconds, 1) / lines;
    const wanted = Math.round(chunkTime / Math.max(pace, this.#pace));
    this.#pace = pace;
    this.#chunkLines = Math.min(Math.max(wanted, minLines), lines * 2, maxLines);
  }
}
