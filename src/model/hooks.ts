/** The types of hooks in a model file: their contexts, with records typed by the fields of the model. */

import type { RecordId } from '../fields/key.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import type { Label } from '../kernel/messages.ts';
import type { HookPrincipal } from './resource.ts';
import type { Scope } from './scope.ts';
import type { ChangesOfFields, FieldDefinitions, ReadableName, RecordOfFields, TimeName } from './types.ts';

type Written = 'create' | 'update' | 'destroy';

/** The argument of all hooks: a scope that acts for the caller, and the caller. */
interface HookContext extends Scope {
  readonly principal: HookPrincipal;
}

export interface BeforeSaveContext<
  Values extends object = Record<string, Json>,
  Name extends string = string,
  Whole extends object = JsonObject,
  Id extends RecordId = number,
> extends HookContext {
  /** The write. */
  readonly action: 'create' | 'update';
  /** Id of the updated record; undefined on create. */
  readonly id: Id | undefined;
  /** The stored record, with every field; undefined on create. */
  readonly before: Readonly<Whole> | undefined;
  /**
   * The values to be saved: on create every field that was sent or has a default, on update every field that was
   * sent. May be changed; the result is validated again.
   */
  readonly values: Values;
  /**
   * Adds a validation message (a sentence, in one text or one per language), for a field or the record; the record is
   * not saved.
   */
  addError(field: Name | undefined, message: Label): void;
}

/** A write, in its transaction: the row is locked, and no other caller sees the change yet. */
export interface BeforeCommitContext<
  Whole extends object = JsonObject,
  Name extends string = string,
  Values extends object = Record<string, Json>,
  Id extends RecordId = number,
> extends HookContext {
  /** The write. */
  readonly action: Written;
  /** True if this create restores a record from the trash. */
  readonly restored: boolean;
  /** Id of the record. */
  readonly id: Id;
  /** The record with every field before the write; undefined on create. */
  readonly before: Readonly<Whole> | undefined;
  /** The record with every field after the write; undefined on destroy. */
  readonly after: Readonly<Whole> | undefined;
  /** Refuses the write with 422 and this message. */
  addError(field: Name | undefined, message: Label): void;
  /**
   * Sets fields of this record as part of the write, restricted ones too. The values are validated; the row rule
   * holds for them.
   */
  set(values: Values): void;
}

export interface AfterCommitContext<
  Values extends object = JsonObject,
  Whole extends object = JsonObject,
  Id extends RecordId = number,
> extends HookContext {
  /** The write. */
  readonly action: Written;
  /** True if this create restores a record from the trash. */
  readonly restored: boolean;
  /** Id of the record. */
  readonly id: Id;
  /** The record as the API would return it with every field; the last state of a deleted one. */
  readonly record: Readonly<Whole>;
  /** The saved values: on update only the fields that were sent or that a hook set; empty on destroy. */
  readonly values: Readonly<Values>;
}

/** Hooks of a model file, typed by its fields. Each may take 30 s (`HANDLER_TIMEOUT`). */
export interface TypedHooks<
  Fields extends FieldDefinitions,
  Id extends RecordId = number,
  Times extends TimeName = TimeName,
> {
  /**
   * Runs after validation and before the transaction. May change `values` and add messages. An error leads to 500; a
   * `Problem` becomes the response.
   */
  beforeSave?(
    context: BeforeSaveContext<
      ChangesOfFields<Fields>,
      ReadableName<Fields, Times>,
      RecordOfFields<Fields, Id, Times>,
      Id
    >,
  ): void | Promise<void>;
  /**
   * Runs in the transaction of a create, update or destroy, and again with it after a conflict: it must not have side
   * effects outside its scope. An error rolls back.
   */
  beforeCommit?(
    context: BeforeCommitContext<
      RecordOfFields<Fields, Id, Times>,
      ReadableName<Fields, Times>,
      ChangesOfFields<Fields>,
      Id
    >,
  ): void | Promise<void>;
  /** Runs once a create, update or destroy is durable. An error is logged; the write stays. */
  afterCommit?(
    context: AfterCommitContext<ChangesOfFields<Fields>, RecordOfFields<Fields, Id, Times>, Id>,
  ): void | Promise<void>;
}
