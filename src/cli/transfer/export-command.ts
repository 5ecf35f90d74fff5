/** One run of `gatewright export`: records of a list into a file, continued where an earlier run stopped. */

import { type CsvColumn, csvHead, csvLines } from '../../http/csv.ts';
import { csvColumns } from '../../http/list-endpoint.ts';
import { csvCells } from '../../kernel/csv-cells.ts';
import { exactText, parseExact } from '../../kernel/exact-json.ts';
import { type Json, type JsonObject, own } from '../../kernel/json.ts';
import { catalogueOf } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { problemText } from '../../kernel/problem-text.ts';
import type { Grant } from '../../policy/grant.ts';
import type { ListAnswer } from '../../records/list.ts';
import { relatedFor, type ServedResource } from '../../resources/operations.ts';
import { CommandError, type Io, UsageError } from '../io.ts';
import { onStopSignal } from '../stop-signal.ts';
import { ActingUser, findResource, type OpenOperations } from './opened.ts';
import { PartFile } from './part-file.ts';
import { Progress, rowsText, speedText } from './progress.ts';
import type { Format } from './transfer-options.ts';

/** The options of the command line. */
export interface AskedExport {
  /** `-` is standard output. */
  readonly path: string;
  readonly format: Format;
  readonly resource: string | undefined;
  readonly as: string | undefined;
  /** Conditions such as `status=paid` and `price[gte]=5`. */
  readonly filters: readonly string[];
  readonly json: boolean;
}

/** The destination of the records. */
interface Target {
  /** Number of rows that it already contains. */
  readonly before: number;
  write(text: string, rows: number): Promise<void>;
  finish(): Promise<void>;
  leave(): Promise<void>;
  /** True if the reader has closed the pipe. */
  gone(): boolean;
}

/** A condition of the command line as a parameter of a query string. */
const filterTerm = (condition: string): string => {
  const [, field, operator = '', value = ''] = /^([^=[\]]+)(\[\w+\])?=(.*)$/s.exec(condition) ?? [];
  if (field === undefined)
    throw new UsageError(`--filter is written like status=paid or price[gte]=5, not '${condition}'`);
  return `${encodeURIComponent(`filter[${field}]${operator}`)}=${encodeURIComponent(value)}`;
};

/** The records in pieces of JSON that form an array. */
async function* recordsOf(answer: ListAnswer): AsyncGenerator<JsonObject[]> {
  if ('json' in answer) {
    const { json } = answer;
    yield parseExact(typeof json === 'string' ? json : Buffer.from(json).toString()) as JsonObject[];
    return;
  }
  const { elements } = answer.chunks;
  try {
    for (let chunk = await elements.next(); chunk.done !== true; chunk = await elements.next())
      if (chunk.value !== '') yield parseExact(`[${chunk.value}]`) as JsonObject[];
  } finally {
    await answer.chunks.return();
  }
}

/** One run of the command. */
export class ExportCommand {
  readonly #io: Io;
  readonly #asked: AskedExport;
  readonly #opened: OpenOperations;
  readonly #progress: Progress;

  constructor(io: Io, asked: AskedExport, opened: OpenOperations) {
    this.#io = io;
    this.#asked = asked;
    this.#opened = opened;
    this.#progress = new Progress(io);
  }

  async run(): Promise<void> {
    const { services } = this.#opened;
    const resource = findResource(services, this.#asked.resource);
    const user = await ActingUser.find(services, this.#asked.as);
    const grant = user.grant(resource, 'list');
    try {
      await this.#export(resource, grant, user);
    } catch (error) {
      this.#progress.clear();
      if (!(error instanceof Problem)) throw error;
      throw new CommandError(problemText(catalogueOf(this.#opened.config.locale), error), { cause: error });
    }
  }

  async #export(resource: ServedResource, grant: Grant, user: ActingUser): Promise<void> {
    const { format, filters } = this.#asked;
    const terms = filters.map(filterTerm);
    const related = relatedFor(resource.context, user.acting(resource, 'list'));
    const list = (query: readonly string[]): Promise<ListAnswer> =>
      resource.list(grant, { query: query.join('&'), path: '', related });
    // Parsed before anything is written: an invalid condition must not cost an older export.
    const shown = await list([...terms, 'after=', 'per_page=1']);
    if ('chunks' in shown) await shown.chunks.return();
    const columns = csvColumns(shown.shape);
    const head = format === 'csv' ? csvHead(columns) : undefined;
    const of = [this.#opened.config.databaseUrl, resource.model.name, String(user.id), format, ...terms];
    const { target, last } = await this.#target([...of, ...columns.map(({ name }) => name)], head, columns);
    let left = true;
    try {
      const behind = last === undefined ? [] : [`filter[id][gt]=${last}`];
      const rows = await this.#work(await list([...terms, ...behind]), columns, target);
      if (rows === undefined) return;
      left = false;
      await target.finish();
      this.#progress.clear();
      this.#summarise(target.before + rows, rows);
    } finally {
      if (left) await target.leave();
    }
  }

  /** Opens the destination, and returns the id of its last record. */
  async #target(
    of: readonly string[],
    head: string | undefined,
    columns: readonly CsvColumn[],
  ): Promise<{ readonly target: Target; readonly last: number | undefined }> {
    const { path } = this.#asked;
    if (path === '-') {
      const write = async (text: string): Promise<void> => this.#io.write(text);
      if (head !== undefined) await write(head);
      const target = { before: 0, write, finish: async () => {}, leave: async () => {}, gone: this.#io.gone };
      return { target, last: undefined };
    }
    const place = columns.findIndex(({ name }) => name === 'id');
    // A filter on ids excludes a second one for the records after the last one.
    const resumes = place !== -1 && !this.#asked.filters.some((each) => each.startsWith('id[gt]'));
    const part = await PartFile.open(path, resumes ? of : [...of, String(Date.now())], head);
    const { rows, last } = part.written;
    if (last !== undefined) this.#io.warn(`${path}: going on behind ${rowsText(rows)} in ${path}.part`);
    const target = {
      before: rows,
      write: (text: string, count: number) => part.write(text, count),
      finish: () => part.finish(),
      leave: () => part.leave(),
      gone: () => false,
    };
    return { target, last: last === undefined ? undefined : this.#idOf(last, place) };
  }

  #idOf(record: string, place: number): number {
    const { format, path } = this.#asked;
    const id: Json | undefined =
      format === 'csv' ? csvCells(record)[place] : own(JSON.parse(record) as JsonObject, 'id');
    if (Number.isSafeInteger(Number(id)) && Number(id) > 0) return Number(id);
    throw new CommandError(`${path}.part is not a part of this export: remove it`);
  }

  /** Writes all records. Returns their number; undefined if the reader has closed the pipe. */
  async #work(
    answer: ListAnswer,
    columns: readonly CsvColumn[],
    target: Target,
  ): Promise<number | undefined> {
    const { path, format } = this.#asked;
    let stopped = false;
    const listen = onStopSignal(() => {
      stopped = true;
    });
    let rows = 0;
    try {
      for await (const records of recordsOf(answer)) {
        const text =
          format === 'csv'
            ? csvLines(columns, records)
            : records.map((record) => `${exactText(record)}\n`).join('');
        await target.write(text, records.length);
        rows += records.length;
        this.#progress.state(
          () => `${path}: ${rowsText(target.before + rows)}, ${speedText(rows, this.#progress.seconds)}`,
        );
        if (target.gone()) return undefined;
        if (stopped)
          throw new CommandError(
            `stopped; ${rowsText(target.before + rows)} are written; the same command goes on behind them`,
          );
      }
    } finally {
      listen();
    }
    return rows;
  }

  #summarise(all: number, rows: number): void {
    const { path, json } = this.#asked;
    const { seconds } = this.#progress;
    const text = json
      ? JSON.stringify({ rows: all, seconds: Number(seconds.toFixed(3)) })
      : `${rowsText(all)} exported, ${speedText(rows, seconds)}`;
    if (path === '-') this.#io.warn(text);
    else this.#io.print(text);
  }
}
