/** A resource as it is served: its model with lists, records, history, trash and grants, made once at start. */

import type { Database, Transaction } from '../../database/database.ts';
import { versionColumn } from '../../database/source.ts';
import type { FileValue } from '../../fields/file.ts';
import type { RecordId } from '../../fields/key.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import type { ApplicationCode } from '../../kernel/application-code.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { FieldError } from '../../kernel/field-error.ts';
import type { JsonObject } from '../../kernel/json.ts';
import {
  fieldError,
  type Label,
  type Languages,
  type Locale,
  uniqueCombination,
} from '../../kernel/messages.ts';
import type { Actor } from '../../ledger/audit.ts';
import { type EventLog, EventReaders } from '../../ledger/event-log.ts';
import type { Idempotency } from '../../ledger/idempotency.ts';
import type { Models } from '../../model/models.ts';
import type { Action, ModelField, ModelRelation, ResourceModel } from '../../model/resource.ts';
import type { FileSource, OpenedFile, Scope, UploadedName } from '../../model/scope.ts';
import { compileValidator, type Validator } from '../../model/validate.ts';
import type { Grant } from '../../policy/grant.ts';
import { type Aggregate, createAggregate } from '../../records/aggregate.ts';
import { createCounts, type RecordCounts } from '../../records/counts.ts';
import { createHistory, type History, VersionReader } from '../../records/history.ts';
import { createList, type List } from '../../records/list.ts';
import { ManyRecords } from '../../records/many.ts';
import { type Collision, createRecords, type RecordStore } from '../../records/records.ts';
import { createShow, type Show } from '../../records/show.ts';
import type { Trash } from '../../records/trash.ts';
import type { AreaRules } from './area.ts';
import { type Cascade, createCascade } from './cascade-links.ts';
import type { ForgetRecord } from './forget.ts';
import type { Acting } from './transaction.ts';

export interface ResourceContext {
  readonly database: Database;
  readonly clock: Clock;
  /** Language of the schemas of its endpoints. */
  readonly locale: Locale;
  readonly languages: Languages;
  readonly models: Models;
  /** A resource by the name of its model; to be called once all resources are made. */
  readonly resourceOf: (model: string) => ServedResource;
  readonly idempotency: Idempotency;
  readonly trash: Trash;
  /** Days for which the trash keeps a record. */
  readonly trashDays: number;
  /** Runs the hooks. */
  readonly code: ApplicationCode;
  /** Time limit of a transaction that runs code of the application, in milliseconds. */
  readonly transactionLimit: number;
  /** Makes the scope that a hook receives. */
  readonly scopeOf: (acting: Acting) => Scope;
  readonly events: EventLog;
  /** Called when events are committed. */
  readonly eventsCommitted: () => void;
  /** Removes the stored copies of a record's values. */
  readonly forget: ForgetRecord;
  /** Ends what a deleted record owned, in the transaction of its deletion: called for models with `manage`. */
  readonly ownerEnds: (
    record: { readonly model: string; readonly id: RecordId },
    actor: Actor,
    within: Transaction,
  ) => Promise<void>;
  /** The files of records; undefined where no model has a field for them. */
  readonly files: RecordFiles | undefined;
  /** Called with errors that occur after the response was decided. */
  readonly report: (error: unknown, what: string) => void;
}

/** A record and the files that its fields name from now on. */
export interface HeldFiles {
  readonly model: string;
  readonly record: RecordId;
  /** The callers who may have uploaded them. */
  readonly uploaders: readonly string[];
  /** True if files that the record has named before are accepted too. */
  readonly restores: boolean;
  readonly named: readonly { readonly field: string; readonly file: number }[];
}

/** The files of records, as operations need them. Their code is loaded only where a model has a field for them. */
export interface RecordFiles {
  /**
   * Gives uploads to a record, in the transaction that names them. Returns a field whose file the caller may not name.
   */
  hold(transaction: Transaction, held: HeldFiles): Promise<string | undefined>;
  /** Values of a record as history or trash keep them, with the numbers of its files in place of their descriptions. */
  restored(
    resource: ServedResource,
    record: RecordId,
    values: JsonObject,
    within?: Transaction,
  ): Promise<JsonObject>;
  /**
   * Stores the files of a multipart body. Their numbers are values of the returned body; `end` removes those that no
   * record names after the write. @throws Problem
   */
  receive(resource: ServedResource, call: Call): Promise<ReceivedFiles>;
  /** Stores bytes in a field of a record for code of the application. @throws Problem; the error of the source */
  upload(write: FileWrite, id: RecordId, field: ModelField, upload: CodeUpload): Promise<FileValue>;
  /** Opens the file of a record for such code; undefined where the grant does not let it be read. */
  download(
    resource: ServedResource,
    grant: Grant,
    id: RecordId,
    field: ModelField,
  ): Promise<OpenedFile | undefined>;
  /** The endpoints of the files of a model in an area. */
  endpoints(resource: ServedResource, area: FileArea, shared: SharedByAction): readonly Endpoint[];
}

/** The members that the endpoints of an action share. */
export type SharedByAction = (
  action: Action,
) => Pick<Endpoint, 'grantsOnRelated' | 'auth' | 'policy' | 'grantsOn'>;

/** The write of a record that gets a file. */
export interface FileWrite {
  readonly resource: ServedResource;
  readonly acting: Acting;
  readonly grant: Grant;
}

/** Bytes that code of the application stores. */
export interface CodeUpload extends UploadedName {
  readonly source: FileSource;
}

/** A body whose files are stored. */
export interface ReceivedFiles extends Pick<Call, 'body' | 'bytes'> {
  readonly uploader: string;
  end(): Promise<void>;
}

/** The place of the endpoints of files. */
export interface FileArea extends AreaRules {
  readonly path: (model: ResourceModel) => string;
  readonly operation: (verb: string, noun: string) => string;
  readonly tag: (model: ResourceModel, locale: Locale) => string;
}

/** A model with everything that its operations need; made once, at start. */
export interface ServedResource {
  readonly model: ResourceModel;
  readonly context: ResourceContext;
  readonly validate: Validator;
  readonly list: List;
  readonly aggregate: Aggregate;
  readonly show: Show;
  readonly records: RecordStore;
  readonly many: ManyRecords;
  /** Counts its records; undefined if the model has no counted field. */
  readonly counts: RecordCounts | undefined;
  /** The versions of its records; undefined if the model has no history. */
  readonly history: History | undefined;
  /** Reads the versions that a caller may see. */
  readonly versions: VersionReader;
  /** Decides which events a caller may see. */
  readonly eventReaders: EventReaders;
  /** The effects of deleting its records on others. */
  readonly cascade: Cascade;
  /** Relations whose records can be written within this one. */
  readonly nested: readonly ModelRelation[];
  /** Fields whose values are files. */
  readonly files: readonly ModelField[];
  /** The validation message of a value that collides with what is stored. */
  readonly collision: (collision: Collision) => FieldError;
}

export const serveResource = (model: ResourceModel, context: ResourceContext): ServedResource => {
  const { database, clock } = context;
  const { first: catalogue } = context.languages;
  const records = createRecords(database, model, context.models);
  const labelOf = (field: string): Label => model.fields.get(field)?.label ?? field;
  return {
    model,
    context,
    validate: compileValidator(model, catalogue),
    list: createList(database, records.source, { clock }),
    aggregate: createAggregate(database, records.source, { clock }),
    show: createShow(database, records.source, { version: versionColumn }),
    records,
    many: new ManyRecords(database, model, context.models),
    counts: createCounts(database, model),
    history: model.history ? createHistory(database, model.name) : undefined,
    versions: new VersionReader(database, model, context.models),
    eventReaders: new EventReaders(database, model, context.models),
    cascade: createCascade(database, context.models, model.name),
    nested: [...model.relations.values()].filter(({ write }) => write),
    files: [...model.fields.values()].filter(({ type }) => type.uploads !== undefined),
    collision: ({ field, rule, others }) =>
      others === undefined
        ? fieldError(catalogue, field, labelOf(field), rule)
        : fieldError(catalogue, field, labelOf(field), uniqueCombination, {
            others: others.map(labelOf),
          }),
  };
};
