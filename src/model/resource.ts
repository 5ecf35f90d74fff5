/** A resource as the rest of the service reads it: every default of the model file is filled in. */

import type { ColumnValue, CommonOptions, CountedType, FieldType, OnDelete } from '../fields/field.ts';
import type { RecordKey } from '../fields/key.ts';
import type { Label } from '../kernel/messages.ts';
import type { OwnProblem } from '../kernel/problem.ts';
import type { SaidMany } from './relation.ts';
import type { Isolation, RowReachRule, RowRuleName } from './row-expression.ts';
import type { SaidRule } from './rules/said-rule.ts';
import type { StoredTable } from './stored-table.ts';

/** Fields that every model has, which are not reported as changes. */
export const setByServer: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);

/**
 * A resource in the form that the rest of the service reads: the model file with every default filled in and every
 * name checked. Frozen; created by `defineResource` only.
 */
export interface ResourceModel {
  /** `BlogPost` */
  readonly name: string;
  /** Last part of the path, without a slash: `blog_posts`. */
  readonly path: string;
  /** The table in words: `blog_posts`, or `shop.blog_posts` where the model names a schema. */
  readonly table: string;
  /** The table and the columns of the fields, as SQL names them. */
  readonly stored: StoredTable;
  /** Key of a body: `blog_post`. */
  readonly singular: string;
  /** `blog_posts` */
  readonly plural: string;
  /** How its records are named. */
  readonly key: RecordKey;
  readonly label: Label;
  /** Label of several records. */
  readonly pluralLabel: Label;
  /** The model in the menu of the administration area: an icon, and a heading that it shares with others. */
  readonly icon: string | undefined;
  readonly menu: Label | undefined;
  /** Template of a record's name; undefined if no field can name it. */
  readonly display: string | undefined;
  /** All fields in order, with `id` first and `created_at`, `updated_at` last. */
  readonly fields: ReadonlyMap<string, ModelField>;
  /** The field that names the owner. */
  readonly owner: 'user_id' | undefined;
  readonly views: Readonly<Record<View, readonly string[]>>;
  readonly rules: ResourceRules;
  /**
   * Conditions of `isolation` as declared. Their meaning depends on other models: until these are collected,
   * `rules.isolation` denies every record.
   */
  readonly saidIsolation: SaidIsolation | undefined;
  /**
   * Conditions of `restricted` as declared; until models are collected, those of `rules.restrictedUnless` never hold.
   */
  readonly saidRestricted: readonly SaidRule[];
  readonly saidManage: SaidRule | undefined;
  /** Conditions of `views.when` as declared; until models are collected, those of `rules.viewedWhen` never hold. */
  readonly saidViewed: readonly SaidRule[];
  /**
   * Names of authentication methods, checked when the model is defined. Their type would pull the code of the methods
   * into the client, whose types are derived from those of models.
   */
  readonly auth: Readonly<Record<Action, readonly string[]>>;
  /** The relations as declared. */
  readonly saidRelations: ReadonlyMap<string, SaidMany>;
  /** All relations by name, of references and declared ones. Empty until models are collected. */
  readonly relations: ReadonlyMap<string, ModelRelation>;
  /** True if every version of a record is kept. */
  readonly history: boolean;
  /** True if each write creates an event. */
  readonly events: boolean;
  /** True if a deleted record is moved to the trash, from which it can be restored. */
  readonly trash: boolean;
  readonly hooks: ResourceHooks;
  /** Problems of the application that the hooks throw. */
  readonly problems: readonly OwnProblem[];
  /** Indexes over one column or several, unique ones included; `index: true` and references add theirs. */
  readonly indexes: readonly ResourceIndex[];
  /**
   * Sets of fields that are unique in combination: those of `unique`, and the owner with each field that is unique
   * among the owner's records. Null is never equal to null.
   */
  readonly unique: readonly (readonly string[])[];
  /** Fields of the full-text search, by falling weight; empty without one. */
  readonly search: readonly string[];
  /** Fields whose values the service counts, in order. */
  readonly counted: readonly CountedField[];
}

/** A field whose values are counted, and the reference by which they are counted. */
export interface CountedField {
  readonly field: ModelField;
  readonly counting: CountedType;
  readonly per: string | undefined;
}

/** The fields that the model file defines, without the fields that every model has. */
export const declaredFields = ({ fields }: Pick<ResourceModel, 'fields'>): readonly ModelField[] =>
  [...fields.values()].filter(({ name }) => !setByServer.has(name));

/** True if a value of an application's file is a model, as `defineResource` returns it. */
export const isResourceModel = (value: unknown): value is ResourceModel =>
  typeof value === 'object' &&
  value !== null &&
  'fields' in value &&
  'rules' in value &&
  Object.isFrozen(value);

/** The part of a model that the form of its records needs; the bodies of fixed endpoints are such sets as well. */
export type FieldSet = Pick<ResourceModel, 'label' | 'fields'>;

/** One field of a model. Everything but SQL calls it by its name: JSON, rules, history, events, cursors. */
export interface ModelField {
  readonly name: string;
  /** Its column in the table. */
  readonly column: string;
  /** Name of the field type, for people and metadata; `type` has everything in which types differ. */
  readonly kind: string;
  readonly type: FieldType;
  readonly options: CommonOptions;
  readonly label: Label;
  readonly required: boolean;
  /** For the field alone; unique sets of fields are in the model. */
  readonly unique: boolean;
  /** `id`, `created_at`, `updated_at`, and values that the service counts: never read from a body. */
  readonly serverSet: boolean;
  /** True if it stays as it was when the record was created: the record is counted by it. */
  readonly fixed: boolean;
  /** Name of the model that it refers to. */
  readonly reference: string | undefined;
  /** How the records of that model are named; until models are collected, as by default. */
  readonly referenceKey: RecordKey | undefined;
  /** The consequence for the record when the referenced one is deleted; undefined where it is not a reference. */
  readonly onDelete: OnDelete | undefined;
  /** True if an id of a record is accepted that the caller may not read: it only has to exist. */
  readonly anyone: boolean;
  /** Another reference of the record, of which the referenced record has the same value in its field of this name. */
  readonly same: string | undefined;
}

/** A relation: to the record of a reference, or to the records that refer to this one. */
export interface ModelRelation {
  readonly name: string;
  readonly label: Label;
  /** True if it leads to any number of records. */
  readonly many: boolean;
  /** Name of the related model; `User` for a user of the service. */
  readonly model: string;
  /** The field of this record, and the field of the related records that has the same value. */
  readonly from: string;
  readonly to: string;
  /**
   * The model of the records between: its field that refers to this record, and the one that refers to the related one.
   */
  readonly through?: { readonly model: string; readonly from: string; readonly to: string };
  /** True if related records can be written within this one. */
  readonly write: boolean;
  /** Fields of a referenced user that everyone who reads the record sees, the id first. */
  readonly shows?: readonly string[];
}

/** Selections of fields: of a list, of one record, and of the response of create and update. */
export const views = ['list', 'detail', 'saved'] as const;
export type View = (typeof views)[number];

/** The actions of a resource; `list` and `detail` are its reads. */
export const actions = ['list', 'detail', 'create', 'update', 'destroy'] as const;
export type Action = (typeof actions)[number];

/** The view of each action's response. */
export const viewByAction: Readonly<Record<Action, View>> = {
  list: 'list',
  detail: 'detail',
  create: 'saved',
  update: 'saved',
  destroy: 'saved',
};

/** The rules of a resource, each independent of the others. All off is the default behaviour of a resource. */
export interface ResourceRules {
  /** Actions that check the permission table. */
  readonly permissions: 'none' | 'writes' | 'all';
  /** The records that callers other than super_admin and admin reach; undefined where they reach all. */
  readonly isolation: Isolation | undefined;
  /** The owner of a created record is the caller. */
  readonly ownership: boolean;
  /** Fields that only super_admin and admin write. */
  readonly restricted: ReadonlySet<string>;
  /** Fields that others write too, in records that meet a condition. Each field is in one set at most. */
  readonly restrictedUnless: readonly ConditionalFields[];
  /** Fields of views that others read only in records that meet a condition. Each field is in one set at most. */
  readonly viewedWhen: readonly ConditionalFields[];
  /** The conditions on a record that anybody may read; undefined where reads are not public. */
  readonly publicRead: readonly PublicCondition[] | undefined;
  /**
   * The records that authenticated callers read where reads are public: the published ones, and the records that
   * isolation grants them. Undefined where they read the same as anybody.
   */
  readonly publicOrOwn: RowReachRule | undefined;
  /** The deleted records that callers other than super_admin and admin manage; undefined where they manage none. */
  readonly manage: RowReachRule | undefined;
}

/**
 * The conditions of a model file by name. A write without a condition of its own has the one of `write`, else the one
 * of `read`.
 */
export type SaidIsolation = { readonly read: SaidRule | 'everyone' } & {
  readonly [Name in Exclude<RowRuleName, 'read'>]?: SaidRule;
};

/** Fields that are subject to a condition on their record. */
export interface ConditionalFields {
  readonly fields: readonly string[];
  readonly condition: RowReachRule;
}

export interface PublicCondition {
  /** The field. */
  readonly column: string;
  readonly value: NonNullable<ColumnValue>;
  /** The value as in the model file. */
  readonly said: string;
}

export interface ResourceIndex {
  /** Its fields, in order. */
  readonly columns: readonly string[];
  readonly unique: boolean;
}

/** The principal of an operation, for code of an application. */
export type HookPrincipal =
  | {
      readonly kind: 'user';
      readonly id: number;
      readonly username: string;
      readonly roles: readonly string[];
    }
  | { readonly kind: 'application'; readonly appId: string }
  | { readonly kind: 'nobody' }
  /** The application itself, with the reason that it gave. */
  | { readonly kind: 'system'; readonly reason: string };

/**
 * The caller of a hook knows the model's fields as a map only; the types of a model file's hooks are in `hooks.ts`.
 */
type Hook = (context: object) => void | Promise<void>;

export interface ResourceHooks {
  readonly beforeSave?: Hook;
  readonly beforeCommit?: Hook;
  readonly afterCommit?: Hook;
}
