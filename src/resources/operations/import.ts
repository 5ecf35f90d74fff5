/** Writes the lines of an import in one transaction, and reports the refused ones. */

import type { SqlValue, Transaction } from '../../database/database.ts';
import type { RecordId } from '../../fields/key.ts';
import type { FieldError } from '../../kernel/field-error.ts';
import { type JsonObject, own } from '../../kernel/json.ts';
import { Problem, type ProblemKind } from '../../kernel/problem.ts';
import { nextSlice } from '../../kernel/slices.ts';
import { requireGrant } from './area.ts';
import { errorsOf } from './collected-errors.ts';
import { announce, begin } from './make-way.ts';
import { requireId } from './record-id.ts';
import { create, update } from './save.ts';
import type { ServedResource } from './served-resource.ts';
import { type Acting, runInTransaction, type SharedTransaction } from './transaction.ts';
import { isInTransaction, msPerRecord, type RecordWrite } from './writing.ts';

/** The result of a slice: lines that were written, or would have been, and lines that were refused. */
export interface ImportedSlice {
  readonly counts: ImportCounts;
  readonly written: readonly WrittenLine[];
  readonly refused: readonly RefusedLine[];
}

/** Thrown to roll back the transaction of a preview. */
class PreviewEnd extends Error {
  readonly counts: ImportCounts;

  constructor(counts: ImportCounts) {
    super('a preview writes nothing');
    this.name = 'PreviewEnd';
    this.counts = counts;
  }
}

/**
 * Writes the valid lines in one transaction, and reports the others. A preview does exactly the same, references,
 * unique values and hooks included, and rolls it back, since only the database can check these; `afterCommit` does not
 * run. A transaction holds one slice, never a whole file, so that other writes wait for one slice at most. `also` runs
 * in the transaction, but not in a preview.
 * @throws FailedLineError; Problem of the database
 */
export const importSlice = async (
  into: Omit<ImportInto, 'onWritten'>,
  lines: readonly ImportLine[],
  preview: boolean,
  also: (transaction: Transaction, counts: ImportCounts) => Promise<void>,
): Promise<ImportedSlice> => {
  const refused: RefusedLine[] = [];
  for (let rest = lines; rest.length > 0; ) {
    const written = new Map<number, WrittenLine>();
    const done = (counts: ImportCounts): ImportedSlice => ({
      counts,
      written: [...written.values()],
      refused,
    });
    try {
      const onWritten = (line: WrittenLine): void => {
        written.set(line.line, line);
      };
      const counts = await importLines({ ...into, onWritten }, rest, async (transaction, sums) => {
        if (preview) throw new PreviewEnd(sums);
        await also(transaction, sums);
      });
      return done(counts);
    } catch (error) {
      if (error instanceof PreviewEnd) return done(error.counts);
      if (!(error instanceof RefusedLinesError)) throw error;
      refused.push(...error.refused);
      const gone = new Set(error.refused.map(({ line }) => line));
      rest = rest.filter((line) => !gone.has(line.number));
    }
  }
  return { counts: { created: 0, updated: 0 }, written: [], refused };
};

/** Lines that are written concurrently. */
const maxConcurrentLines = 64;

/** A line of a file: the values of a record, or the errors of a line that could not be read. */
export interface ImportLine {
  readonly number: number;
  readonly values: JsonObject;
  readonly errors: readonly FieldError[];
}

/** Numbers of records that lines created and updated. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
}

/** A message about one line; of one field, unless it is about the whole line. */
export interface RefusedLine {
  readonly line: number;
  readonly field: string;
  readonly error: FieldError | Problem;
}

/** Refused lines: no line of their transaction was written. */
export class RefusedLinesError extends Error {
  readonly refused: readonly RefusedLine[];

  constructor(refused: readonly RefusedLine[]) {
    super(`${refused.length} messages about lines`);
    this.name = 'RefusedLinesError';
    this.refused = refused;
  }
}

/** A failure of the application's code at a line: nothing was written. */
export class FailedLineError extends Error {
  readonly line: number;

  constructor(line: number, cause: unknown) {
    super(`line ${line}`, { cause });
    this.name = 'FailedLineError';
    this.line = line;
  }
}

/** The context in which lines are created and updated, by a method of authentication that the action accepts. */
export type ActingFor = (action: 'create' | 'update') => Acting;

export interface ImportInto {
  readonly resource: ServedResource;
  readonly actingFor: ActingFor;
  /** Field by whose value a line finds the record that it updates; without it, every line creates one. */
  readonly by?: string | undefined;
  /** Called with each written line, in the transaction, and again if the transaction runs again. */
  readonly onWritten?: ((line: WrittenLine) => void) | undefined;
}

/** The result of a line. */
export interface WrittenLine {
  readonly line: number;
  readonly action: 'create' | 'update';
  readonly id: RecordId;
  /** JSON of the record before an update, in the view of the importing user. */
  readonly before: string | undefined;
  readonly after: string;
}

interface Writes {
  readonly create: RecordWrite;
  readonly update: RecordWrite | undefined;
  readonly by: string | undefined;
  readonly onWritten: ImportInto['onWritten'];
}

type Done = 'created' | 'updated';

/** True if the database or the process failed, not a line: lines are not tried again. */
const isOfDatabase = (kind: ProblemKind): boolean =>
  kind === 'database_unavailable' ||
  kind === 'database_damaged' ||
  kind === 'overloaded' ||
  kind === 'outcome_unknown' ||
  kind === 'transaction_timeout' ||
  kind === 'stopping';

const isNoFaultOfLine = (error: unknown): boolean => !(error instanceof Problem) || isOfDatabase(error.kind);

/** The value by which a line finds the record that it updates: in a unique column, or its id. */
interface LineKey {
  readonly column: string;
  readonly value: SqlValue;
  readonly id?: RecordId;
}

/** The column of the field by which lines find records, and its value in a line; undefined for a line that creates. */
const keyOf = ({ resource }: RecordWrite, by: string, values: JsonObject): LineKey | undefined => {
  const value = own(values, by);
  if (value == null) return undefined;
  if (by === 'id') {
    const { key } = resource.model;
    const id = requireId(key, value);
    // An id that callers give is found as any unique value is: a line with a new one creates a record.
    return key.givenBy === 'caller' ? { column: by, value: id } : { column: by, value: id, id };
  }
  const { columns } = resource.validate({ [by]: value }, 'update', new Set([by]));
  const key = columns[by];
  // A create reports an invalid value.
  return key === undefined ? undefined : { column: by, value: key };
};

/** The id of the record that a line updates; undefined where it creates one. */
const targetOf = async ({ update: write, by }: Writes, values: JsonObject): Promise<RecordId | undefined> => {
  const key = write === undefined || by === undefined ? undefined : keyOf(write, by, values);
  if (write === undefined || key === undefined) return undefined;
  const { resource, grant, acting } = write;
  if (key.id !== undefined) return key.id;
  return resource.records.identify(grant, key.column, key.value, acting.shared?.transaction);
};

/** Locks the records that lines update in the order of their ids, whatever the order of the lines is. */
const lockTargets = async (
  { update: write, by }: Writes,
  shared: SharedTransaction,
  lines: readonly ImportLine[],
): Promise<void> => {
  if (write === undefined || by === undefined) return;
  const keys = lines.flatMap(({ values }) => {
    // The line itself reports an id that is none.
    if (by === 'id' && write.resource.model.key.of(own(values, by)) === undefined) return [];
    return keyOf(write, by, values) ?? [];
  });
  const [first] = keys;
  if (first === undefined) return;
  const values = keys.map(({ value }) => value);
  await write.resource.records.lock([write.grant], first.column, values, shared.transaction);
};

/** The ids of the records that lines update, by the numbers of the lines. */
type Targets = ReadonlyMap<number, RecordId>;

/**
 * Announces the updates, before the first one: a line may set a unique value that another record has until its own line
 * comes. None if `by` finds records by the only value that is unique.
 */
const announceLines = async (writes: Writes, lines: readonly ImportLine[]): Promise<Targets> => {
  const targets = new Map<number, RecordId>();
  const { update: write, by } = writes;
  if (write === undefined || by === undefined || !isInTransaction(write)) return targets;
  const { indexes, key } = write.resource.model;
  const isOfKey = (columns: readonly string[]): boolean => columns.length === 1 && columns[0] === by;
  if (!indexes.some(({ columns, unique }) => unique && !isOfKey(columns))) return targets;
  for (const { number, values, errors } of lines) {
    if (errors.length > 0 || (by === 'id' && key.of(own(values, by)) === undefined)) continue;
    const id = await targetOf(writes, values);
    if (id === undefined) continue;
    targets.set(number, id);
    announce(write, id, values);
  }
  return targets;
};

const writeLine = async (
  writes: Writes,
  { number: line, values }: ImportLine,
  targets?: Targets,
): Promise<Done> => {
  const id = targets?.get(line) ?? (await targetOf(writes, values));
  const { onWritten } = writes;
  if (id === undefined || writes.update === undefined) {
    const made = await create(writes.create, values);
    onWritten?.({ line, action: 'create', id: made.id, before: undefined, after: made.json });
    return 'created';
  }
  const { resource, grant, acting } = writes.update;
  const within = acting.shared?.transaction;
  begin(writes.update, id);
  const shown = onWritten && (await resource.show(grant, id, [], { within }));
  const before = shown && within && resource.records.withOriginals(id, shown.json, within);
  const changed = await update(writes.update, id, values, undefined);
  onWritten?.({ line, action: 'update', id, before, after: changed.json });
  return 'updated';
};

const refusalOf = (resource: ServedResource, line: number, problem: Problem): readonly RefusedLine[] => {
  const errors = errorsOf(resource, problem);
  return errors === undefined
    ? [{ line, field: '', error: problem }]
    : errors.map((error) => ({ line, field: error.field, error }));
};

/** Writes lines concurrently. An error does not name its line. */
const writeConcurrently = async (writes: Writes, lines: readonly ImportLine[]): Promise<readonly Done[]> => {
  const done: Done[] = [];
  for (let start = 0; start < lines.length; start += maxConcurrentLines) {
    await nextSlice();
    const settled = await Promise.allSettled(
      lines.slice(start, start + maxConcurrentLines).map((line) => writeLine(writes, line)),
    );
    for (const result of settled) {
      if (result.status === 'rejected') throw result.reason;
      done.push(result.value);
    }
  }
  return done;
};

/** Writes lines one after the other and collects the messages of all. @throws RefusedLinesError, FailedLineError */
const writeInSequence = async (writes: Writes, lines: readonly ImportLine[]): Promise<readonly Done[]> => {
  const { resource } = writes.create;
  const done: Done[] = [];
  const refused: RefusedLine[] = [];
  const targets = await announceLines(writes, lines);
  for (const line of lines) {
    await nextSlice();
    refused.push(...line.errors.map((error) => ({ line: line.number, field: error.field, error })));
    if (line.errors.length > 0) continue;
    try {
      done.push(await writeLine(writes, line, targets));
    } catch (error) {
      if (isNoFaultOfLine(error))
        throw error instanceof Problem ? error : new FailedLineError(line.number, error);
      const problem = error as Problem;
      if (problem.status >= 500) throw new FailedLineError(line.number, problem);
      refused.push(...refusalOf(resource, line.number, problem));
      // The database has aborted the transaction: the next lines cannot be checked.
      if (problem.cause !== undefined) break;
    }
  }
  if (refused.length > 0) throw new RefusedLinesError(refused);
  return done;
};

const countsOf = (done: readonly Done[]): ImportCounts => {
  const created = done.filter((each) => each === 'created').length;
  return { created, updated: done.length - created };
};

/**
 * True if lines must be written in sequence: numbers follow their order, hooks see the effects of the lines before, and
 * bad lines are reported.
 */
const needsSequence = (
  { model: { hooks, counted } }: ServedResource,
  lines: readonly ImportLine[],
): boolean =>
  counted.length > 0 ||
  hooks.beforeSave !== undefined ||
  hooks.beforeCommit !== undefined ||
  lines.some(({ errors }) => errors.length > 0);

/**
 * Writes lines in one transaction, all or none. Each line passes the policy of its action, validation and hooks, as a
 * single write does. `also` runs in the transaction. No two lines may have the same value of `by`.
 * @throws RefusedLinesError with the messages of all lines; FailedLineError; Problem of the database; errors of `also`
 */
export const importLines = async (
  { resource, actingFor, by, onWritten }: ImportInto,
  lines: readonly ImportLine[],
  also: (transaction: Transaction, counts: ImportCounts) => Promise<void>,
): Promise<ImportCounts> => {
  const { model, context } = resource;
  const write = (action: 'create' | 'update', shared: SharedTransaction): RecordWrite => {
    const acting = actingFor(action);
    return { resource, grant: requireGrant(model, context, acting, action), acting: { ...acting, shared } };
  };
  const unit =
    (writeLines: typeof writeInSequence) =>
    async (shared: SharedTransaction): Promise<ImportCounts> => {
      const writes = {
        create: write('create', shared),
        update: by === undefined ? undefined : write('update', shared),
        by,
        onWritten,
      };
      await lockTargets(writes, shared, lines);
      const counts = countsOf(await writeLines(writes, lines));
      await also(shared.transaction, counts);
      return counts;
    };
  const options = { table: model.table, limit: context.transactionLimit + lines.length * msPerRecord };
  if (onWritten === undefined && !needsSequence(resource, lines))
    try {
      return await runInTransaction(context.database, unit(writeConcurrently), options);
    } catch (error) {
      // Writing in sequence finds the refused lines and their messages, also two lines with the same unique value.
      if (isNoFaultOfLine(error)) throw error;
    }
  return runInTransaction(context.database, unit(writeInSequence), options);
};
