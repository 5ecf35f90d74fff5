import { ConstraintError, type ConstraintKind, type Reader, type Transaction } from '../database/database.ts';
import { toQuery } from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import type { JsonSchema, RuleViolation } from '../fields/field.ts';
import { toTimestamp } from '../kernel/clock.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Catalogue } from '../kernel/messages/catalogue.ts';
import { Problem } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import type { CheckedInput, InputFields } from '../model/job.ts';
import type { Grant } from '../policy/grant.ts';
import type { EntityOperation } from '../records/entity.ts';
import { type Actor, type AuditEntry, recordAudit } from './audit/audit.ts';
import type { Change, TableContext } from './context.ts';

/** Lines of the audit log, written in the transaction of the change; none where nothing was changed. */
interface Audited {
  readonly audit?: AuditEntry | readonly AuditEntry[] | undefined;
}

export interface Changed<Result> extends Audited {
  readonly result: Result;
}

/** A rule that a value of the input violates, found where only the database can find it. */
export interface InputViolation extends RuleViolation {
  readonly field: string;
}

/** Thrown by a change whose input violates a rule. */
export class ViolationError extends Error {
  readonly violation: InputViolation;

  constructor(violation: InputViolation, options?: ErrorOptions) {
    super(`${violation.field} violates a rule`, options);
    this.name = 'ViolationError';
    this.violation = violation;
  }
}

/** Problems and violations that constraints of the tables stand for. */
export type ConstraintMeanings = { readonly [Kind in ConstraintKind]?: ProblemName | InputViolation };

const meaningOf = (error: unknown, meanings: ConstraintMeanings): unknown => {
  const meaning = error instanceof ConstraintError ? meanings[error.kind] : undefined;
  if (meaning === undefined) return error;
  const options = { cause: error };
  return typeof meaning === 'string' ? new Problem(meaning, options) : new ViolationError(meaning, options);
};

/**
 * Makes the function by which the service's own records are changed: one transaction holds the change and its lines of
 * the audit log, so neither stands without the other. A change that is a part of a larger one runs within that.
 */
export const createCommands =
  ({ database, clock }: TableContext) =>
  async <Result>(
    actor: Actor,
    run: (change: Change) => Promise<Changed<Result>>,
    meanings: ConstraintMeanings = {},
    within?: Transaction,
  ): Promise<Result> => {
    const { dialect } = database;
    const tables = tablesOf(database);
    const perform = async (transaction: Transaction): Promise<Result> => {
      const now = clock();
      const change = { transaction, tables, dialect, now, at: toTimestamp(now), actor };
      const { audit = [], result } = await run(change);
      for (const entry of [audit].flat()) await recordAudit(transaction, dialect, now, actor, entry);
      return result;
    };
    try {
      return await (within === undefined ? database.write(perform) : perform(within));
    } catch (error) {
      throw meaningOf(error, meanings);
    }
  };

/** Id of the row that a statement inserts and returns. */
export const insertedId = async (
  { transaction }: Pick<Change, 'transaction'>,
  insert: Parameters<typeof toQuery>[0],
): Promise<number> => {
  const row = await transaction.get<{ id: number }>(toQuery(insert));
  if (row === undefined) throw new Error('an insert returned no id');
  return row.id;
};

/** A change that a call asks for. */
export interface CommandCall<Values> extends Change {
  /** The checked input. */
  readonly values: Values;
  /** Id of the record that the path names; 0 where it names none by an id. */
  readonly id: number;
  readonly params: Readonly<Record<string, string>>;
  readonly grant: Grant;
}

export interface CommandResult extends Audited {
  /** Key of a new record, which the response shows. */
  readonly key?: string | number;
  /** `data` of the response, or members of it beside those of the record. */
  readonly data?: JsonObject;
}

/** Parts by which a check looks at the database, before the transaction. */
export interface CheckContext extends Pick<Change, 'tables'> {
  readonly reader: Reader;
  /** As of the call. */
  readonly id: number;
  /** Names of JSON types, for messages. */
  readonly types: Catalogue['types'];
}

/**
 * A command on records of an entity, as data: its endpoint, the schemas and words of the API description, its
 * transaction and its lines of the audit log follow from it.
 */
export interface EntityCommand<Fields extends InputFields = InputFields, Prepared = unknown>
  extends EntityOperation {
  /** `create` makes a record, `update` and `remove` change one; any other verb is the end of its record's path. */
  readonly verb: string;
  /** Method and path below the entity's, where they do not follow from the verb. */
  readonly method?: 'POST' | 'PUT' | 'DELETE';
  readonly path?: string;
  readonly input?: Fields;
  /** Name of the object in the body that holds the input; without one it is the body. */
  readonly bodyKey?: string;
  /** Whether the body may be a form as well. */
  readonly form?: boolean;
  /** Schema of the input, where it says more than the fields. */
  readonly refine?: (schema: JsonSchema) => JsonSchema;
  /** Schema of `data`, where it is not the record. */
  readonly data?: JsonSchema;
  /** Message of its response, where it is not that of every success. */
  readonly message?: 'keyCreated';
  readonly problems?: readonly ProblemName[];
  readonly constraints?: ConstraintMeanings;
  /** Returns the rules that the input violates beyond those of its fields. Values that violate one of these are absent. */
  check?(values: Partial<CheckedInput<Fields>>, context: CheckContext): Promise<readonly InputViolation[]>;
  /** Reads before the transaction what cannot be read in it. */
  prepare?(): Promise<Prepared>;
  run(call: CommandCall<CheckedInput<Fields>> & { readonly prepared: Prepared }): Promise<CommandResult>;
  /** Called after the commit. */
  readonly after?: () => void | Promise<void>;
}

/** Types the values of a command by its fields. */
export const defineEntityCommand = <const Fields extends InputFields, Prepared = undefined>(
  command: EntityCommand<Fields, Prepared>,
): EntityCommand<Fields, Prepared> => command;

/** Makes the function by which commands run: with its lines of the audit log, in one transaction. */
export const createExecutor = (context: TableContext) => {
  const change = createCommands(context);
  return async (
    command: EntityCommand,
    actor: Actor,
    call: Omit<CommandCall<CheckedInput<InputFields>>, keyof Change>,
  ): Promise<Omit<CommandResult, 'audit'>> => {
    const prepared = await command.prepare?.();
    const result = await change(
      actor,
      async (made) => {
        const { audit = [], ...shown } = await command.run({ ...made, ...call, prepared });
        return { audit, result: shown };
      },
      command.constraints,
    );
    await command.after?.();
    return result;
  };
};
