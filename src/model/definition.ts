import type { ApiMethodName } from '../auth/registry.ts';
import type { Strict } from '../fields/field.ts';
import type { Label } from '../kernel/messages/messages.ts';
import type { MakeProblem } from './define-problem.ts';
import type { TypedHooks } from './hooks.ts';
import type { IconName } from './icons.ts';
import type { Action } from './resource.ts';
import type { RowRule, RowRules, UsesOf } from './row-rule.ts';
import type {
  DeclaredRelations,
  FieldDefinitions,
  FieldName,
  ReadableName,
  RecordOfFields,
} from './types.ts';

type AuthMethods = readonly [ApiMethodName, ...ApiMethodName[]];

/** Fields per view, in the order in which they are answered. */
export interface ResourceViews<Fields extends FieldDefinitions> {
  readonly list?: readonly ReadableName<Fields>[];
  readonly detail?: readonly ReadableName<Fields>[];
  readonly saved?: readonly ReadableName<Fields>[];
}

/** What a model file says. Only `fields` is needed: the rest is off until it is named. */
export interface ResourceDefinition<
  Fields extends FieldDefinitions,
  Views extends ResourceViews<Fields> = ResourceViews<Fields>,
  Relations extends DeclaredRelations = DeclaredRelations,
> {
  readonly fields: Fields;
  /** What people call one record, one text or one per language. */
  readonly label?: Label;
  /** Picture of the model in the administration area, by its name: `book`, `cart`, `people` … */
  readonly icon?: IconName;
  /** Heading under which the model stands in the menu of the administration area, one text or one per language. */
  readonly menu?: Label;
  /** Path and table; made from the name (`BlogPost` → `blog_posts`) where the plural is regular. */
  readonly plural?: string;
  /** Key of a body; made from the name (`blog_post`). */
  readonly singular?: string;

  /**
   * Fields per view, in the order in which they are answered. `detail` falls back to all fields, `list` and `saved`
   * to those of `detail`, so that naming one view never shows more in another.
   */
  readonly views?: Strict<Views, ResourceViews<Fields>>;
  /** Ask the permission table before create, update and destroy (`writes`) or before reads as well (`all`). */
  readonly permissions?: 'writes' | 'all';
  /**
   * `true`: callers other than super_admin and admin see, update and delete their own records only. A condition, or one
   * for reading and one for writing: they reach the records that meet it. Made by `own`, `member`, `equals`, `via`,
   * `anyOf` and `allOf`.
   */
  readonly isolation?: boolean | RowRule<UsesOf<NoInfer<Fields>>> | RowRules<UsesOf<NoInfer<Fields>>>;
  /** On create the record's owner is set to the caller. */
  readonly ownership?: boolean;
  /** Fields that only super_admin and admin write; from others they are ignored. */
  readonly restricted?: readonly FieldName<Fields>[];
  /**
   * List and detail are public and show only records with these values; with `orOwn` signed-in callers also read
   * whatever isolation grants them.
   */
  readonly publicRead?: { readonly where: Partial<RecordOfFields<Fields>>; readonly orOwn?: boolean };
  /** Accepted methods of authentication, for all actions or for each; `['jwt']` where none are named. */
  readonly auth?: AuthMethods | { readonly [Name in Action]?: AuthMethods };

  /**
   * The records of other models that belong to one of these, by the name of the relation: each made by `many`. A
   * reference is a relation by itself: `customer_id` is also the relation `customer`.
   */
  readonly relations?: Relations;

  /** Every version of a record is kept, with who made it so; `GET …/:id/history` answers them. */
  readonly history?: boolean;
  /** Each write is told to those who follow: by `GET …/changes` and by webhooks. */
  readonly events?: boolean;
  /** A record that is deleted goes into the trash, out of everybody's sight; administrators bring it back from there. */
  readonly trash?: boolean;

  readonly hooks?: TypedHooks<Fields>;
  /** Problems of the application's own that its hooks throw, for the API description. */
  readonly problems?: readonly MakeProblem[];
  /** Indexes over several fields, beside `index` and `unique` of single ones. */
  readonly indexes?: readonly (readonly ReadableName<Fields>[])[];
  /**
   * Fields whose values no two records share all together, `[['order_id', 'product_id']]`; null shares nothing. A set of
   * one is the same as `unique: true` on the field.
   */
  readonly unique?: readonly (readonly [FieldName<Fields>, ...FieldName<Fields>[]])[];
}
