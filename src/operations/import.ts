import type { Transaction } from '../database/database.ts';
import type { FieldError } from '../kernel/field-error.ts';
import { type JsonObject, own } from '../kernel/json.ts';
import { Problem, type ProblemKind } from '../kernel/problem.ts';
import { granted } from './area.ts';
import { errorsOf } from './collected-errors.ts';
import { knownId } from './record-id.ts';
import { create, update } from './save.ts';
import type { ServedResource } from './served-resource.ts';
import { type Acting, type SharedTransaction, together } from './transaction.ts';
import { type RecordWrite, timeOfRecord } from './writing.ts';

/** Lines that were written, or would have been, and those that were refused. */
export interface ImportedSlice {
  readonly counts: ImportCounts;
  readonly written: readonly WrittenLine[];
  readonly refused: readonly RefusedLine[];
}

/** Ends the transaction of a preview: nothing of it stands. */
class PreviewEnd extends Error {
  readonly counts: ImportCounts;

  constructor(counts: ImportCounts) {
    super('a preview writes nothing');
    this.name = 'PreviewEnd';
    this.counts = counts;
  }
}

/**
 * Writes the lines that are good in one transaction, and tells of the others. A preview does the very same, references,
 * values that are there once and hooks included, and rolls it back: rules alone could not say what the database would.
 * What hooks do after a commit is not done. A transaction holds one slice, never a file, so that other writes wait for a
 * slice at most. `also` belongs to the transaction, and not to a preview.
 * @throws FailedLineError; Problem of the database
 */
export const importSlice = async (
  into: Omit<ImportInto, 'told'>,
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
      const told = (line: WrittenLine): void => {
        written.set(line.line, line);
      };
      const counts = await importLines({ ...into, told }, rest, async (transaction, sums) => {
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

/** Lines whose statements are on their way together. */
const abreast = 64;

/** A line of a file: a record, or what is wrong with it already. */
export interface ImportLine {
  readonly number: number;
  readonly values: JsonObject;
  readonly errors: readonly FieldError[];
}

/** What became of some lines. */
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

/** Lines that were refused: nothing was written of those that were to be written with them. */
export class RefusedLinesError extends Error {
  readonly refused: readonly RefusedLine[];

  constructor(refused: readonly RefusedLine[]) {
    super(`${refused.length} messages about lines`);
    this.name = 'RefusedLinesError';
    this.refused = refused;
  }
}

/** Code of the application failed at a line: nothing was written. */
export class FailedLineError extends Error {
  readonly line: number;

  constructor(line: number, cause: unknown) {
    super(`line ${line}`, { cause });
    this.name = 'FailedLineError';
    this.line = line;
  }
}

/** Who creates and who updates: by a method of authentication that the action takes. */
export type ActingFor = (action: 'create' | 'update') => Acting;

export interface ImportInto {
  readonly resource: ServedResource;
  readonly actingFor: ActingFor;
  /** The field by whose value a line finds the record that it updates; every line creates one unless given. */
  readonly by?: string | undefined;
  /** Told what became of each line, in the transaction; it may be told again where that ran again. */
  readonly told?: ((line: WrittenLine) => void) | undefined;
}

/** What a line has come to. */
export interface WrittenLine {
  readonly line: number;
  readonly action: 'create' | 'update';
  readonly id: number;
  /** JSON of the record before an update, in the view of whoever imports. */
  readonly before: string | undefined;
  readonly after: string;
}

interface Writes {
  readonly create: RecordWrite;
  readonly update: RecordWrite | undefined;
  readonly by: string | undefined;
  readonly told: ImportInto['told'];
}

type Done = 'created' | 'updated';

/** Of the database itself, or of nobody: no line is to blame, and none is tried once more. */
const isOfDatabase = (kind: ProblemKind): boolean =>
  kind === 'database_unavailable' ||
  kind === 'overloaded' ||
  kind === 'outcome_unknown' ||
  kind === 'transaction_timeout' ||
  kind === 'stopping';

const isBlameless = (error: unknown): boolean => !(error instanceof Problem) || isOfDatabase(error.kind);

/** The id of the record that a line updates; undefined where it creates one. */
const targetOf = async ({ update: write, by }: Writes, values: JsonObject): Promise<number | undefined> => {
  const value = by === undefined ? undefined : own(values, by);
  if (write === undefined || by === undefined || value == null) return undefined;
  const { resource, grant, acting } = write;
  if (by === 'id') return knownId(value);
  const field = resource.model.fields.get(by);
  // What is wrong with the value is told by the rules of a create.
  if (field === undefined || resource.validate({ [by]: value }, 'update', new Set([by])).errors.length > 0)
    return undefined;
  const encoded = field.type.encode(value, field.options);
  return resource.records.identify(grant, field.column, encoded, acting.shared?.transaction);
};

const writeLine = async (writes: Writes, { number: line, values }: ImportLine): Promise<Done> => {
  const id = await targetOf(writes, values);
  const { told } = writes;
  if (id === undefined || writes.update === undefined) {
    const made = await create(writes.create, values);
    told?.({ line, action: 'create', id: made.id, before: undefined, after: made.json });
    return 'created';
  }
  const { resource, grant, acting } = writes.update;
  const within = acting.shared?.transaction;
  const before = told && (await resource.show(grant, id, [], { within }));
  const changed = await update(writes.update, id, values, undefined);
  told?.({ line, action: 'update', id, before: before?.json, after: changed.json });
  return 'updated';
};

const refusalOf = (resource: ServedResource, line: number, problem: Problem): readonly RefusedLine[] => {
  const errors = errorsOf(resource, problem);
  return errors === undefined
    ? [{ line, field: '', error: problem }]
    : errors.map((error) => ({ line, field: error.field, error }));
};

/** All at once: what was refused is not known by its line. */
const writeAbreast = async (writes: Writes, lines: readonly ImportLine[]): Promise<readonly Done[]> => {
  const done: Done[] = [];
  for (let start = 0; start < lines.length; start += abreast) {
    const settled = await Promise.allSettled(
      lines.slice(start, start + abreast).map((line) => writeLine(writes, line)),
    );
    for (const result of settled) {
      if (result.status === 'rejected') throw result.reason;
      done.push(result.value);
    }
  }
  return done;
};

/** One after the other, with the messages of all. @throws RefusedLinesError, FailedLineError */
const writeInTurn = async (writes: Writes, lines: readonly ImportLine[]): Promise<readonly Done[]> => {
  const { resource } = writes.create;
  const done: Done[] = [];
  const refused: RefusedLine[] = [];
  for (const line of lines) {
    refused.push(...line.errors.map((error) => ({ line: line.number, field: error.field, error })));
    if (line.errors.length > 0) continue;
    try {
      done.push(await writeLine(writes, line));
    } catch (error) {
      if (isBlameless(error))
        throw error instanceof Problem ? error : new FailedLineError(line.number, error);
      const problem = error as Problem;
      if (problem.status >= 500) throw new FailedLineError(line.number, problem);
      refused.push(...refusalOf(resource, line.number, problem));
      // The database has ended the transaction: the lines behind cannot be asked about.
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

/** Hooks that run before the record stands see what the lines before it have done. */
const inTurn = ({ model: { hooks } }: ServedResource, lines: readonly ImportLine[]): boolean =>
  hooks.beforeSave !== undefined ||
  hooks.beforeCommit !== undefined ||
  lines.some(({ errors }) => errors.length > 0);

/**
 * Writes lines in one transaction, all or none, each as it would be written alone: under the policy of its action,
 * validation and hooks. `also` belongs to the transaction. No two lines may have the same value of `by`.
 * @throws RefusedLinesError with the messages of all lines; FailedLineError; Problem of the database; what `also` throws
 */
export const importLines = async (
  { resource, actingFor, by, told }: ImportInto,
  lines: readonly ImportLine[],
  also: (transaction: Transaction, counts: ImportCounts) => Promise<void>,
): Promise<ImportCounts> => {
  const { model, context } = resource;
  const write = (action: 'create' | 'update', shared: SharedTransaction): RecordWrite => {
    const acting = actingFor(action);
    return { resource, grant: granted(model, context, acting, action), acting: { ...acting, shared } };
  };
  const unit =
    (way: typeof writeInTurn) =>
    async (shared: SharedTransaction): Promise<ImportCounts> => {
      const writes = {
        create: write('create', shared),
        update: by === undefined ? undefined : write('update', shared),
        by,
        told,
      };
      const counts = countsOf(await way(writes, lines));
      await also(shared.transaction, counts);
      return counts;
    };
  const options = { table: model.table, limit: context.transactionLimit + lines.length * timeOfRecord };
  if (told === undefined && !inTurn(resource, lines))
    try {
      return await together(context.database, unit(writeAbreast), options);
    } catch (error) {
      // Who was refused, and why, is found out line by line; two lines with one value meet only there.
      if (isBlameless(error)) throw error;
    }
  return together(context.database, unit(writeInTurn), options);
};
