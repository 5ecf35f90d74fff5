/** Commands on the service's own records: one transaction contains the change and its lines of the audit log. */

import { challengeOf } from '../auth/registry.ts';
import { ConstraintError, type ConstraintKind, type Reader, type Transaction } from '../database/database.ts';
import { toQuery } from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import type { JsonSchema, RuleViolation } from '../fields/field.ts';
import { toTimestamp } from '../kernel/clock.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { SuccessName } from '../kernel/messages.ts';
import { Problem } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import type { CheckedInput, InputFields } from '../model/job.ts';
import type { Grant } from '../policy/grant.ts';
import type { EntityOperation } from '../records/entity.ts';
import { type Actor, type AuditEntry, recordAudit } from './audit.ts';
import type { Change, TableContext } from './context.ts';

/** Lines of the audit log, written in the transaction of the change; none if nothing was changed. */
interface Audited {
  readonly audit?: AuditEntry | readonly AuditEntry[] | undefined;
}

export interface Changed<Result> extends Audited {
  readonly result: Result;
}

/** A rule that an input value violates, as only the database can find out. */
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

/** Problems and violations by the constraints of tables that mean them. */
export type ConstraintMeanings = { readonly [Kind in ConstraintKind]?: ProblemName | InputViolation };

const meaningOf = (error: unknown, meanings: ConstraintMeanings): unknown => {
  const meaning = error instanceof ConstraintError ? meanings[error.kind] : undefined;
  if (meaning === undefined) return error;
  const options = { cause: error };
  return typeof meaning === 'string' ? new Problem(meaning, options) : new ViolationError(meaning, options);
};

/** The refusal where a reference failed since the acting user is gone: deleted after the authentication. */
const refusalOfDeleted = async (
  { database }: TableContext,
  { principal, reason }: Actor,
  error: unknown,
): Promise<Problem | undefined> => {
  if (reason !== undefined || typeof principal === 'string' || principal.kind !== 'user') return undefined;
  if (!(error instanceof ConstraintError) || error.kind !== 'foreign_key') return undefined;
  const user = tablesOf(database).selectFrom('users').select('id').where('id', '=', principal.id);
  if ((await database.get(toQuery(user))) !== undefined) return undefined;
  const headers = { 'WWW-Authenticate': challengeOf(principal.method) };
  return new Problem('unauthenticated', { headers, cause: error });
};

/**
 * Creates the function that changes the service's own records. One transaction contains the change and its lines of
 * the audit log, so that neither exists without the other. A change within another one uses its transaction.
 */
export const createCommands =
  (context: TableContext) =>
  async <Result>(
    actor: Actor,
    run: (change: Change) => Promise<Changed<Result>>,
    meanings: ConstraintMeanings = {},
    within?: Transaction,
  ): Promise<Result> => {
    const { database, clock } = context;
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
      throw (await refusalOfDeleted(context, actor, error)) ?? meaningOf(error, meanings);
    }
  };

/** Runs an insert that returns an id. Returns that id. */
export const insertedId = async (
  { transaction }: Pick<Change, 'transaction'>,
  insert: Parameters<typeof toQuery>[0],
): Promise<number> => {
  const row = await transaction.get<{ id: number }>(toQuery(insert));
  if (row === undefined) throw new Error('an insert returned no id');
  return row.id;
};

/** A call of a command. */
export interface CommandCall<Values> extends Change {
  /** The validated input. */
  readonly values: Values;
  /** Id of the record in the path; 0 if the path names no record by id. */
  readonly id: number;
  readonly params: Readonly<Record<string, string>>;
  readonly grant: Grant;
}

/** The same before its transaction. */
export type PreparedCall<Values> = Omit<CommandCall<Values>, Exclude<keyof Change, 'actor'>>;

export interface CommandResult extends Audited {
  /** Key of a new record, which the response shows. */
  readonly key?: string | number | undefined;
  /** `data` of the response, or members that are added to those of the record. */
  readonly data?: JsonObject | undefined;
}

/** Dependencies of a check, which reads the database before the transaction. */
export interface CheckContext extends Pick<Change, 'tables'> {
  readonly reader: Reader;
  /** Id of the record in the path; 0 if the path names no record by id. */
  readonly id: number;
  readonly grant: Grant;
}

/**
 * A command on records of an entity, as data. Its endpoint, its schemas and texts in the API description, its
 * transaction and its lines of the audit log follow from it.
 */
export interface EntityCommand<Fields extends InputFields = InputFields, Prepared = unknown>
  extends EntityOperation {
  /**
   * `create` creates a record, `update` and `remove` change one. Any other verb is the last segment of the record's
   * path.
   */
  readonly verb: string;
  /** Method and path below that of the entity, if they do not follow from the verb. */
  readonly method?: 'POST' | 'PUT' | 'DELETE' | undefined;
  readonly path?: string | undefined;
  readonly input?: Fields | undefined;
  /** Name of the object in the body that contains the input; undefined: the body itself. */
  readonly bodyKey?: string | undefined;
  /** True if the body may also be a form. */
  readonly form?: boolean | undefined;
  /** Schema of the input, if it says more than the fields. */
  readonly refine?: (schema: JsonSchema) => JsonSchema;
  /** Schema of `data`, if it is not the record. */
  readonly data?: JsonSchema | undefined;
  /** Message of the response, if it is not the usual one of success. */
  readonly message?: SuccessName | undefined;
  readonly problems?: readonly ProblemName[] | undefined;
  readonly constraints?: ConstraintMeanings | undefined;
  /**
   * Returns the rules that the input violates beyond those of its fields. Values that violate a field's rule are
   * absent.
   */
  check?(values: Partial<CheckedInput<Fields>>, context: CheckContext): Promise<readonly InputViolation[]>;
  /** Reads or writes, before the transaction, data that cannot be read or written in it. */
  prepare?(call: PreparedCall<CheckedInput<Fields>>): Promise<Prepared>;
  run(call: CommandCall<CheckedInput<Fields>> & { readonly prepared: Prepared }): Promise<CommandResult>;
  /** Called after the commit. */
  readonly after?: () => void | Promise<void>;
}

/** Infers the types of a command's input from its fields. */
export const defineEntityCommand = <const Fields extends InputFields, Prepared = undefined>(
  command: EntityCommand<Fields, Prepared>,
): EntityCommand<Fields, Prepared> => command;

/** Creates the function that runs commands, each in one transaction with its lines of the audit log. */
export const createExecutor = (context: TableContext) => {
  const change = createCommands(context);
  return async (
    command: EntityCommand,
    actor: Actor,
    call: Omit<CommandCall<CheckedInput<InputFields>>, keyof Change>,
  ): Promise<Omit<CommandResult, 'audit'>> => {
    const prepared = await command.prepare?.({ ...call, actor });
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
