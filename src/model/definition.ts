/** The type of a definition as a model file writes it, option by option. */

import type { ApiMethodName } from '../auth/registry.ts';
import type { Strict } from '../fields/field.ts';
import type { IdOfKey, KeyKind } from '../fields/keys.ts';
import type { Label } from '../kernel/messages.ts';
import type { MakeProblem } from './define-problem.ts';
import type { IconName } from './definition/icons.ts';
import type { TableOption } from './definition/table-option.ts';
import type { TypedHooks } from './hooks.ts';
import type { Action } from './resource.ts';
import type { RestrictedUnless, RowRule, RowRules, Short, UsesOf, ViewedWhen } from './row-rule.ts';
import type {
  DeclaredRelations,
  FieldDefinitions,
  FieldName,
  ReadableName,
  RecordOfFields,
  TimeName,
} from './types.ts';

type AuthMethods = readonly [ApiMethodName, ...ApiMethodName[]];

/** Fields per view, in the order of the response. */
export interface ResourceViews<Fields extends FieldDefinitions> {
  readonly list?: readonly ReadableName<Fields>[];
  readonly detail?: readonly ReadableName<Fields>[];
  readonly saved?: readonly ReadableName<Fields>[];
  /**
   * Fields that callers other than super_admin and admin read only in records that meet a condition, as pairs of both.
   * They are fields of `detail`, named there or not, and of other views as usual.
   */
  readonly when?: readonly ViewedWhen<ReadableName<Fields>, UsesOf<NoInfer<Fields>>>[];
}

/** The definition in a model file. Only `fields` is required: everything else is off unless it is present. */
export interface ResourceDefinition<
  Fields extends FieldDefinitions,
  Views extends ResourceViews<Fields> = ResourceViews<Fields>,
  Relations extends DeclaredRelations = DeclaredRelations,
  Key extends KeyKind | readonly Short<FieldName<Fields>>[] = KeyKind | readonly Short<FieldName<Fields>>[],
  Times extends TimeName = TimeName,
> {
  /**
   * Fields by name; a reference `author` becomes the field `author_id`. `id`, `created_at` and `updated_at` are added.
   */
  readonly fields: Fields;
  /**
   * The type of ids: `'integer'` (default), numbers that the database gives; `'uuid'`, UUIDs of version 7 that the
   * service gives; `'bigint'`, numbers of 64 bits as digits in a text; `'text'`, given by the body of a create.
   * It is chosen for good: stored records keep their ids. Integers of external tables may be zero or negative.
   * An external table may have several fields: `['order_id', 'line_no']`; the id is their
   * values joined by commas, each percent-encoded.
   */
  readonly key?: Key;
  /** Display name of one record, one text or one per language. */
  readonly label?: Label;
  /**
   * Display name of several records. Default: the English plural of `label`; in a language other than English, `label`.
   */
  readonly pluralLabel?: Label;
  /** Name of the model's icon in the administration area: `book`, `cart`, `people` … */
  readonly icon?: IconName;
  /** Heading of the model in the menu of the administration area, one text or one per language. */
  readonly menu?: Label;
  /**
   * Name of a record for people: `{number} · {status}`. Default: the field `name` or `title`, otherwise the first text
   * field.
   */
  readonly display?: string;
  /** Path and table; derived from the name (`BlogPost` → `blog_posts`) where the plural is regular. */
  readonly plural?: string;
  /** Key of a body; derived from the name (`blog_post`). */
  readonly singular?: string;
  /**
   * The table, and columns that are called otherwise than their fields: `{ name: 'order_heads', columns: { total:
   * 'order_total' } }`. Everything but SQL and migrations uses the names of the fields. With `external: true` it is a
   * table of another program, which the service never changes: `schema` is its schema on PostgreSQL, `types` names
   * types of columns that statements have to know, and `readOnly: true` leaves out the endpoints that write.
   */
  readonly table?: TableOption<Short<FieldName<Fields>> | 'id' | 'created_at' | 'updated_at' | 'version'>;

  /**
   * Fields per view, in the order of the response. `detail` defaults to all fields, `list` and `saved` to those of
   * `detail`. `when`: pairs of a condition and fields; callers other than super_admin and admin see these only in
   * records that meet it.
   */
  readonly views?: Strict<Views, ResourceViews<Fields>>;
  /** Check the permission table before create, update and destroy (`writes`) or before reads as well (`all`). */
  readonly permissions?: 'writes' | 'all';
  /**
   * `true`: callers other than super_admin and admin see, update and delete their own records only. A
   * condition, or one for each action: they reach the records that meet it.
   */
  readonly isolation?: boolean | RowRule<UsesOf<NoInfer<Fields>>> | RowRules<UsesOf<NoInfer<Fields>>>;
  /** On create the caller becomes the record's owner. */
  readonly ownership?: boolean;
  /**
   * Fields that only super_admin and admin write. With `{ fields, unless }` others write them too, in records that
   * meet the condition.
   */
  readonly restricted?: readonly (
    | FieldName<Fields>
    | RestrictedUnless<Short<FieldName<Fields>>, UsesOf<NoInfer<Fields>>>
  )[];
  /**
   * List and detail are public and show only records with these values; with `orOwn` authenticated callers also read
   * the records that isolation grants them.
   */
  readonly publicRead?: { readonly where: Partial<RecordOfFields<Fields>>; readonly orOwn?: boolean };
  /** Accepted authentication methods, for all actions or for each; default `['jwt']`. */
  readonly auth?: AuthMethods | { readonly [Name in Action]?: AuthMethods };

  /**
   * The records of other models that belong to one of these, each created by `many`. A reference is a relation by
   * itself.
   */
  readonly relations?: Relations;

  /** Every version of a record is kept, with its author; `GET …/:id/history` returns them. */
  readonly history?: boolean;
  /** Each write is sent to subscribers: of `GET …/changes` and of webhooks. */
  readonly events?: boolean;
  /** A deleted record is moved to the trash, invisible to callers; administrators can restore it. */
  readonly trash?: boolean;
  /**
   * Opens the trash in the API to others than super_admin and admin: deleted records that they could read and that
   * meet the condition. With `events`, they also create webhooks for the records that meet it. Needs `trash`.
   */
  readonly manage?: RowRule<UsesOf<NoInfer<Fields>>>;

  /** Functions that run around a write. */
  readonly hooks?: TypedHooks<Fields, IdOfKey<NoInfer<Key>>, NoInfer<Times>>;
  /** Problems of the application that its hooks throw, for the API description. */
  readonly problems?: readonly MakeProblem[];
  /** Indexes over several fields, in addition to `index` and `unique` of single ones. */
  readonly indexes?: readonly (readonly ReadableName<Fields>[])[];
  /**
   * Sets of fields that are unique in combination, `[['order_id', 'product_id']]`; null is never equal to null.
   */
  readonly unique?: readonly (readonly [FieldName<Fields>, ...FieldName<Fields>[]])[];
  /**
   * Up to four text fields of a full-text search, by falling weight: `q` finds their words, the best match first.
   * Without it `q` finds a part of any text field.
   */
  readonly search?: readonly [FieldName<Fields>, ...FieldName<Fields>[]];
}
