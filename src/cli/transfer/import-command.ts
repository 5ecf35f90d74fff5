/** One run of `gatewright import`: its options, output and messages. */

import { open } from 'node:fs/promises';
import { errorMessage } from '../../kernel/error-message.ts';
import { catalogueOf } from '../../kernel/messages.ts';
import { nearestHint } from '../../kernel/options.ts';
import { Problem } from '../../kernel/problem.ts';
import { problemText } from '../../kernel/problem-text.ts';
import { ImportTakenError } from '../../ledger/imports.ts';
import {
  csvReader,
  FailedLineError,
  type Frame,
  ImportFields,
  ImportHeadError,
  jsonReader,
  type ReadLine,
  type RefusedLine,
  RefusedLinesError,
  type ServedResource,
} from '../../resources/operations.ts';
import { CommandError, type Io, UsageError } from '../io.ts';
import { onStopSignal } from '../stop-signal.ts';
import { FileImport, type ImportState } from './import-file.ts';
import { ActingUser, findResource, type OpenOperations } from './opened.ts';
import { countText, Progress, rowsText, speedText } from './progress.ts';
import type { Format } from './transfer-options.ts';

/** The field by which a line finds the record to update. */
const identifyingField = ({ model }: ServedResource, name: string | undefined): string | undefined => {
  const unique = [...model.fields.values()]
    .filter((field) => field.unique && !field.serverSet)
    .map((field) => field.name);
  if (name === undefined || name === 'id' || unique.includes(name)) return name;
  const choices = [...new Set([...unique, 'id'])];
  throw new UsageError(`--update-by takes a unique field, not '${name}'${nearestHint(name, choices)}`);
};

/** Opens a regular file: only an unchanged one can be continued where the last import stopped. */
const openFile = async (path: string) => {
  const file = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'ENOENT' ? 'there is no such file' : cause.message;
    throw new CommandError(`${path}: ${reason}`, { cause });
  });
  const about = await file.stat();
  if (about.isFile()) return { file, size: about.size };
  await file.close();
  throw new CommandError(`${path} is ${about.isDirectory() ? 'a directory' : 'no regular file'}`);
};

/** The words of this command are English, whatever the service's are. */
const catalogue = catalogueOf('en');

const readerOf = (
  fields: ImportFields,
  head: Frame | undefined,
  onEmptyLine: (line: number) => void,
): ReadLine => {
  if (head === undefined) return jsonReader(fields, catalogue);
  try {
    return csvReader(fields, head, catalogue, onEmptyLine);
  } catch (error) {
    if (!(error instanceof ImportHeadError)) throw error;
    throw new CommandError(`line ${error.line}, the names of the fields: ${error.message}`);
  }
};

const percent = (bytes: number, size: number): string => `${Math.floor((bytes / Math.max(size, 1)) * 100)} %`;

/** The options of the command line. */
export interface AskedImport {
  readonly path: string;
  readonly format: Format;
  readonly resource: string | undefined;
  readonly as: string | undefined;
  readonly by: string | undefined;
  readonly json: boolean;
}

/** One run of the command: its output, and the messages for its errors. */
export class ImportCommand {
  readonly #io: Io;
  readonly #asked: AskedImport;
  readonly #opened: OpenOperations;
  readonly #progress: Progress;

  constructor(io: Io, asked: AskedImport, opened: OpenOperations) {
    this.#io = io;
    this.#asked = asked;
    this.#opened = opened;
    this.#progress = new Progress(io);
  }

  async run(): Promise<void> {
    const { path } = this.#asked;
    const { file, size } = await openFile(path);
    let stopped = false;
    const stopListening = onStopSignal(() => {
      stopped = true;
    });
    try {
      const work = await this.#prepare(file, size, () => stopped);
      await this.#finish(work);
      const after = await file.stat();
      if (after.size > size)
        this.#note(`${path} has grown by ${countText(after.size - size)} bytes, which were not read`);
    } finally {
      stopListening();
      await file.close();
    }
  }

  async #prepare(file: Awaited<ReturnType<typeof open>>, size: number, stopped: () => boolean) {
    const { format, as } = this.#asked;
    const { services } = this.#opened;
    const resource = findResource(services, this.#asked.resource);
    const by = identifyingField(resource, this.#asked.by);
    const user = await ActingUser.find(services, as);
    const writable = (action: 'create' | 'update') => user.grant(resource, action).writable;
    const noteSkippedField = (name: string): void =>
      this.#note(`${name} is passed over: it is not ${user.username}'s to set`);
    const noteEmptyLine = (line: number): void =>
      this.#note(`line ${line} is passed over, as is each line of only commas: it has no values`);
    const updatable = by === undefined ? [] : writable('update');
    const all = new Set([...writable('create'), ...updatable]);
    const fields = new ImportFields(resource.model, all, by, noteSkippedField);
    return new FileImport({
      file,
      size,
      csv: format === 'csv',
      reader: (head) => readerOf(fields, head, noteEmptyLine),
      into: { resource, actingFor: (action) => user.acting(resource, action), by },
      imports: services.imports,
      pause: services.database.pause ?? 0,
      refresh: () => user.refresh(),
      stopped,
      note: (sentence) => this.#note(sentence),
      progress: (state) =>
        this.#progress.state(
          () =>
            `${resource.model.path}: ${rowsText(state.created + state.updated)}, ${percent(state.bytes, size)}, ${speedText(state.rows, this.#progress.seconds)}`,
        ),
    });
  }

  #note(sentence: string): void {
    this.#progress.clear();
    this.#io.warn(`${this.#asked.path}: ${sentence}`);
  }

  async #finish(work: FileImport): Promise<void> {
    try {
      await work.run();
    } catch (error) {
      this.#progress.clear();
      throw this.#failure(error, work.reached);
    }
    this.#progress.clear();
    const { reached } = work;
    if (!reached.finished) throw new CommandError(`stopped; ${this.#resultSoFar(reached)}`);
    this.#summarise(reached);
    await work.forget();
  }

  #summarise({ created, updated, rows }: ImportState): void {
    const { seconds } = this.#progress;
    const seen = { created, updated, seconds: Number(seconds.toFixed(3)) };
    const text = `${rowsText(created)} created, ${countText(updated)} updated, ${speedText(rows, seconds)}`;
    this.#io.print(this.#asked.json ? JSON.stringify(seen) : text);
  }

  /** The result so far in words, and how to continue. */
  #resultSoFar({ lines, created, updated }: ImportState): string {
    return lines === 0
      ? 'nothing was imported'
      : `${rowsText(created + updated)}, up to line ${lines}, are imported; the same command goes on behind it`;
  }

  #failure(error: unknown, reached: ImportState): CommandError {
    if (error instanceof CommandError) return error;
    return new CommandError(`${this.#reason(error)}; ${this.#resultSoFar(reached)}`, { cause: error });
  }

  #reason(error: unknown): string {
    if (error instanceof RefusedLinesError) {
      for (const line of error.refused) this.#io.warn(this.#refusalText(line));
      const lines = new Set(error.refused.map(({ line }) => line)).size;
      return lines === 1 ? 'one line is refused' : `${countText(lines)} lines are refused`;
    }
    if (error instanceof ImportTakenError) return 'another import into the same resource has begun';
    if (error instanceof FailedLineError) return `line ${error.line}: ${this.#reason(error.cause)}`;
    if (error instanceof Problem) return this.#problemText(error);
    return errorMessage(error);
  }

  #refusalText({ line, field, error }: RefusedLine): string {
    const message =
      error instanceof Problem ? problemText(catalogueOf(this.#opened.config.locale), error) : error.message;
    return `${this.#asked.path}: line ${line}${field === '' ? '' : `, ${field}`}: ${message}`;
  }

  #problemText(problem: Problem): string {
    const text = problemText(catalogueOf(this.#opened.config.locale), problem);
    return problem.cause instanceof Error ? `${text} (${problem.cause.message})` : text;
  }
}
