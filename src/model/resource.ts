import type { ColumnValue, CommonOptions, FieldType, OnDelete } from '../fields/field.ts';
import type { Label } from '../kernel/messages/messages.ts';
import type { OwnProblem } from '../kernel/problem.ts';
import type { SaidMany } from './relation.ts';
import type { Isolation, RowReachRule } from './row-expression.ts';
import type { SaidRule } from './said-rule.ts';

/**
 * A resource as the rest of the service reads it: what a model file says, with every default filled in and every name
 * checked. Frozen; made by `defineResource` only.
 */
export interface ResourceModel {
  /** `BlogPost` */
  readonly name: string;
  /** Last part of the path, without a slash: `blog_posts`. */
  readonly path: string;
  /** `blog_posts` */
  readonly table: string;
  /** Key of a body: `blog_post`. */
  readonly singular: string;
  /** `blog_posts` */
  readonly plural: string;
  readonly label: Label;
  /** What the administration area shows of the model in its menu: a picture, and a heading above it and others. */
  readonly icon: string | undefined;
  readonly menu: Label | undefined;
  /** All fields in order, with `id` first and `created_at`, `updated_at` last. */
  readonly fields: ReadonlyMap<string, ModelField>;
  /** The field that says whose a record is. */
  readonly owner: 'user_id' | undefined;
  readonly views: Readonly<Record<View, readonly string[]>>;
  readonly rules: ResourceRules;
  /**
   * Conditions of `isolation` as the file says them. What they come to depends on other models: until these are put
   * together, `rules.isolation` lets nobody reach anything.
   */
  readonly saidIsolation: SaidIsolation | undefined;
  /**
   * Names of methods of authentication, checked when the model is defined. Their type would bring the code of the
   * methods into that of the client, which is made of the types of models.
   */
  readonly auth: Readonly<Record<Action, readonly string[]>>;
  /** The relations that the file declares. */
  readonly saidRelations: ReadonlyMap<string, SaidMany>;
  /** All relations by name: those of references, and the declared ones. Empty until models are put together. */
  readonly relations: ReadonlyMap<string, ModelRelation>;
  /** Whether every version of a record is kept. */
  readonly history: boolean;
  /** Whether each write leaves an event. */
  readonly events: boolean;
  /** Whether a record that is deleted goes into the trash, from which it can come back. */
  readonly trash: boolean;
  readonly hooks: ResourceHooks;
  /** Problems of the application's own that the hooks throw. */
  readonly problems: readonly OwnProblem[];
  /** Indexes over one column or several, those of `index: true` and of references included, unique ones too. */
  readonly indexes: readonly ResourceIndex[];
  /**
   * Names of fields whose values no two records share all together: those of `unique`, and the owner with each field that
   * is unique among the owner's records. A record that lacks one of the values shares nothing.
   */
  readonly unique: readonly (readonly string[])[];
}

/** Whether a value of an application's file is a model, as `defineResource` returns it. */
export const isResourceModel = (value: unknown): value is ResourceModel =>
  typeof value === 'object' &&
  value !== null &&
  'fields' in value &&
  'rules' in value &&
  Object.isFrozen(value);

/** As much of a model as its records' form needs; the bodies of fixed endpoints are such sets as well. */
export type FieldSet = Pick<ResourceModel, 'label' | 'fields'>;

/** One field of a model; column and name in the API are the same. */
export interface ModelField {
  readonly name: string;
  readonly column: string;
  /** Name of the field type, for people and metadata; what differs between types is asked of `type`. */
  readonly kind: string;
  readonly type: FieldType;
  readonly options: CommonOptions;
  readonly label: Label;
  readonly required: boolean;
  /** On its own; sets of fields are the model's. */
  readonly unique: boolean;
  /** `id`, `created_at` and `updated_at`: never taken from a body. */
  readonly serverSet: boolean;
  /** Name of the model whose id it holds. */
  readonly reference: string | undefined;
  /** What becomes of the record when what the id names is deleted; undefined where it is no reference. */
  readonly onDelete: OnDelete | undefined;
  /** Whether the id may be that of a record which the caller may not read: it has to exist, no more. */
  readonly anyone: boolean;
}

/** How a record leads to others: to the one that a reference names, or to those that name it. */
export interface ModelRelation {
  readonly name: string;
  readonly label: Label;
  /** Whether it leads to any number of records. */
  readonly many: boolean;
  /** Name of the model to whose records it leads; `User` for a user of the service. */
  readonly model: string;
  /** The column of this record, and the column of the others that holds the same value. */
  readonly from: string;
  readonly to: string;
  /** The model whose records lie between: its column that names this record, and the one that names the other. */
  readonly through?: { readonly model: string; readonly from: string; readonly to: string };
  /** Whether the others can be written within this one. */
  readonly write: boolean;
}

/** Selections of fields: of a list, of one record, and of the answer to create and update. */
export const views = ['list', 'detail', 'saved'] as const;
export type View = (typeof views)[number];

/** What can be done to a resource; `list` and `detail` are its reads. */
export const actions = ['list', 'detail', 'create', 'update', 'destroy'] as const;
export type Action = (typeof actions)[number];

/** What each action answers. */
export const viewByAction: Readonly<Record<Action, View>> = {
  list: 'list',
  detail: 'detail',
  create: 'saved',
  update: 'saved',
  destroy: 'saved',
};

/** The switches of a resource, each independent of the others. All off is the default behaviour of a resource. */
export interface ResourceRules {
  /** Which actions ask the permission table. */
  readonly permissions: 'none' | 'writes' | 'all';
  /** Which records callers other than super_admin and admin reach; undefined where every one. */
  readonly isolation: Isolation | undefined;
  /** The owner of a created record is the caller. */
  readonly ownership: boolean;
  /** Fields that only super_admin and admin write. */
  readonly restricted: ReadonlySet<string>;
  /** What a record must meet to be read by anybody; undefined where reads are not public. */
  readonly publicRead: readonly PublicCondition[] | undefined;
  /**
   * Which records signed-in callers read where reads are public: the published ones, and those that isolation grants
   * them. Undefined where they read what anybody does.
   */
  readonly publicOrOwn: RowReachRule | undefined;
}

export interface SaidIsolation {
  readonly read: SaidRule | 'everyone';
  readonly write: SaidRule;
}

export interface PublicCondition {
  readonly column: string;
  readonly value: NonNullable<ColumnValue>;
  /** The value as it stands in the model file. */
  readonly said: string;
}

export interface ResourceIndex {
  readonly columns: readonly string[];
  readonly unique: boolean;
}

/** For whom something is done, as code of an application sees it. */
export type HookPrincipal =
  | {
      readonly kind: 'user';
      readonly id: number;
      readonly username: string;
      readonly roles: readonly string[];
    }
  | { readonly kind: 'application'; readonly appId: string }
  | { readonly kind: 'nobody' }
  /** The application itself, for the reason that it gave. */
  | { readonly kind: 'system'; readonly reason: string };

/** Who runs a hook knows the model's fields as a map only; the types of a model file's hooks are in `hooks.ts`. */
type Hook = (context: object) => void | Promise<void>;

export interface ResourceHooks {
  readonly beforeSave?: Hook;
  readonly beforeCommit?: Hook;
  readonly afterCommit?: Hook;
}
