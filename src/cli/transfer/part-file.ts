/** A file that appears complete or not at all, and whose part an interrupted export leaves for the next one. */

import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../../kernel/sync-directory.ts';
import { FrameError, Frames } from '../../resources/operations.ts';
import { CommandError } from '../io.ts';

/** The written part of an export. */
export interface PartContent {
  readonly bytes: number;
  readonly rows: number;
  /** Text of the last record. */
  readonly last: string | undefined;
}

const nothing: PartContent = { bytes: 0, rows: 0, last: undefined };

/** The content of FILE.part.of: the export to which FILE.part belongs, and the process that writes it. */
interface Mark {
  readonly of: string;
  readonly pid: number;
}

const readMark = async (path: string): Promise<Mark | undefined> => {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Mark;
  } catch {
    // Missing or incomplete: the part belongs to no export.
    return undefined;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

const lf = 0x0a;

/** The complete records of a file, after its head; none if it begins differently. */
const wholeRecords = async (file: FileHandle, head: string | undefined): Promise<PartContent> => {
  const { size } = await file.stat();
  const frames = new Frames(file, { size, quoted: head !== undefined });
  const ended = Buffer.alloc(1);
  let written = nothing;
  let named = head === undefined;
  try {
    for (;;) {
      const frame = frames.next();
      if (frame === undefined) {
        if (await frames.more()) continue;
        return written;
      }
      if (frames.bytes === size) {
        await file.read(ended, 0, 1, size - 1);
        if (ended[0] !== lf) return written;
      }
      // After a power failure a file may have its length, but zeros in place of its bytes.
      if (frame.text === undefined || frame.text.includes('\0')) return written;
      if (!named && `${frame.text}\r\n` !== head) return nothing;
      written = named
        ? { bytes: frames.bytes, rows: written.rows + 1, last: frame.text }
        : { bytes: frames.bytes, rows: 0, last: undefined };
      named = true;
    }
  } catch (error) {
    // The last record was cut off within quotes.
    if (error instanceof FrameError) return written;
    throw error;
  }
};

/**
 * A file that exists completely or not at all. It is written as FILE.part, which an interrupted export leaves and the
 * next equal one continues.
 */
export class PartFile {
  readonly #path: string;
  readonly #file: FileHandle;
  #written: PartContent;

  private constructor(path: string, file: FileHandle, written: PartContent) {
    this.#path = path;
    this.#file = file;
    this.#written = written;
  }

  /**
   * Opens FILE.part.
   * @param of texts that identify the export
   * @param head the line with which the file begins
   * @throws CommandError if another process writes it
   */
  static async open(path: string, of: readonly string[], head: string | undefined): Promise<PartFile> {
    const [part, mark] = [`${path}.part`, `${path}.part.of`];
    const digest = createHash('sha256').update(JSON.stringify(of)).digest('hex');
    const before = await readMark(mark);
    if (before !== undefined && before.pid !== process.pid && isAlive(before.pid))
      throw new CommandError(
        `process ${before.pid} writes ${part}: wait for its end (if that is not an export, remove ${mark})`,
      );
    if (before?.of !== digest) await rm(part, { force: true });
    const now: Mark = { of: digest, pid: process.pid };
    await writeFile(mark, JSON.stringify(now), { mode: 0o600 });
    const file = await open(part, before?.of === digest ? 'a+' : 'w+', 0o600);
    try {
      const written = await wholeRecords(file, head);
      await file.truncate(written.bytes);
      const opened = new PartFile(path, file, written);
      if (written.bytes === 0 && head !== undefined) await opened.write(head, 0);
      return opened;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The part that existed at the opening, and everything written since. */
  get written(): PartContent {
    return this.#written;
  }

  async write(text: string, rows: number): Promise<void> {
    const bytes = Buffer.from(text);
    await this.#file.appendFile(bytes);
    this.#written = {
      ...this.#written,
      bytes: this.#written.bytes + bytes.length,
      rows: this.#written.rows + rows,
    };
  }

  /** Moves it to FILE once it is on the disk. */
  async finish(): Promise<void> {
    await this.#file.sync();
    await this.#file.close();
    await rename(`${this.#path}.part`, this.#path);
    await syncDirectory(dirname(this.#path));
    await rm(`${this.#path}.part.of`, { force: true });
  }

  /** Leaves it for the next export. */
  async leave(): Promise<void> {
    await this.#file.sync().catch(() => {});
    await this.#file.close();
  }
}
