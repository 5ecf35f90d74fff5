import type { Json, JsonObject } from '../kernel/json.ts';
import type { HookPrincipal } from './resource.ts';
import type { Scope } from './scope.ts';
import type { ChangesOfFields, FieldDefinitions, ReadableName, RecordOfFields } from './types.ts';

type Written = 'create' | 'update' | 'destroy';

/** What all hooks get: a scope that acts for whoever writes, and who that is. */
interface HookContext extends Scope {
  readonly principal: HookPrincipal;
}

export interface BeforeSaveContext<
  Values extends object = Record<string, Json>,
  Name extends string = string,
  Whole extends object = JsonObject,
> extends HookContext {
  readonly action: 'create' | 'update';
  /** Id of the record that is updated; undefined on create. */
  readonly id: number | undefined;
  /** The record as it is, with every field; undefined on create. Others may change it until the transaction begins. */
  readonly before: Readonly<Whole> | undefined;
  /**
   * What is about to be saved: on create every field that was sent or has a default, on update those that were sent; each
   * as it will be returned (decimals as text at their scale, times in UTC). May be changed; what stands here in the end is validated once more, restricted fields included.
   */
  readonly values: Values;
  /**
   * Adds a validation message (the whole sentence) to those that are answered, of a field or of the record as a whole;
   * nothing is saved then.
   */
  addError(field: Name | undefined, message: string): void;
}

/** What is written, in the transaction that writes it: the row is locked, and nobody else sees the change yet. */
export interface BeforeCommitContext<Whole extends object = JsonObject, Name extends string = string>
  extends HookContext {
  readonly action: Written;
  readonly id: number;
  /** The record with every field as it was; undefined on create. */
  readonly before: Readonly<Whole> | undefined;
  /** The record with every field as it will be; undefined on destroy. */
  readonly after: Readonly<Whole> | undefined;
  /** Refuses the write with 422 and this message, the whole sentence; the transaction is rolled back. */
  addError(field: Name | undefined, message: string): void;
}

export interface AfterCommitContext<Values extends object = JsonObject, Whole extends object = JsonObject>
  extends HookContext {
  readonly action: Written;
  readonly id: number;
  /** The whole record as the API would answer it with every field, the owner included; a deleted one as it was last. */
  readonly record: Readonly<Whole>;
  /** What was saved: on update only the fields that were sent or that `beforeSave` set; nothing on destroy. */
  readonly values: Readonly<Values>;
}

/** Hooks of a model file, typed by its fields. Each may take 30 s (`HANDLER_TIMEOUT`). */
export interface TypedHooks<Fields extends FieldDefinitions> {
  /**
   * Runs after validation and before the transaction. May change `values` and add messages; what it leaves is
   * validated once more. Throwing answers 500 and saves nothing, unless it is a `Problem`: that is the answer.
   */
  beforeSave?(
    context: BeforeSaveContext<ChangesOfFields<Fields>, ReadableName<Fields>, RecordOfFields<Fields>>,
  ): void | Promise<void>;
  /**
   * Runs in the transaction of a create, update or destroy, and again with it after a conflict: no effects beside those
   * of its scope. What it throws rolls back, and is answered like what `beforeSave` throws.
   */
  beforeCommit?(
    context: BeforeCommitContext<RecordOfFields<Fields>, ReadableName<Fields>>,
  ): void | Promise<void>;
  /** Runs once a create, update or destroy is durable. What it throws is logged; the write stays. */
  afterCommit?(
    context: AfterCommitContext<ChangesOfFields<Fields>, RecordOfFields<Fields>>,
  ): void | Promise<void>;
}
