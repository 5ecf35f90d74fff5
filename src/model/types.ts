/** TypeScript types of a model's records, bodies, filters and sorts, inferred from its definition. */

import type {
  CommonOptions,
  FieldDefinition,
  InputOf,
  IsAssigned,
  OperandOf,
  OperatorsOf,
  ValueOf,
} from '../fields/field.ts';
import type { RecordId } from '../fields/key.ts';
import type { ShownOfUser } from '../fields/reference.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { RelatedUser, SeenView } from './related-user.ts';
import type { ManyRelation } from './relation.ts';
import type { ResourceModel } from './resource.ts';
import type { Condition, OrderedCondition } from './types/condition-types.ts';
import type { AnyRelated, ItemWithin, NewWithin } from './types/related-types.ts';

export type { SeenView } from './related-user.ts';
export type { IdentityCondition, OrderedCondition, TextCondition } from './types/condition-types.ts';
export type {
  GroupOf,
  GroupQuery,
  GroupRequest,
  GroupShape,
  GroupTerm,
  NumericField,
  OrderedField,
} from './types/group-types.ts';
export type {
  IncludeIn,
  OnlyIncluded,
  RelatedFilter,
  RelatedSort,
  WithRelated,
} from './types/related-types.ts';

/** The fields of a model file, by their keys. */
export type FieldDefinitions = Readonly<Record<string, FieldDefinition>>;

/** The declared relations of a model file, by their names. */
export type DeclaredRelations = Readonly<Record<string, ManyRelation>>;

/** A reference `author` is the field `author_id`; every other field has the name of its key. */
type NameOf<Key extends string, Definition extends FieldDefinition> = Definition['options'] extends {
  readonly to: string;
}
  ? Key extends `${string}_id`
    ? Key
    : `${Key}_id`
  : Key;

/** The name of a reference, unless another field has it. */
type ReferenceName<Key extends string, Definition extends FieldDefinition> = Definition['options'] extends {
  readonly to: string;
}
  ? NameOf<Key, Definition>
  : never;

/** Names of the fields that a model file defines. */
export type FieldName<Fields extends FieldDefinitions> = {
  [Key in keyof Fields & string]: NameOf<Key, Fields[Key]>;
}[keyof Fields & string];

/** Fields in which the service keeps times; an external table has those that its columns name. */
export type TimeName = 'created_at' | 'updated_at';

/** The times of a model with this option `table`. */
export type TimesIn<Table> = Table extends { readonly external: true }
  ? Table extends { readonly columns: infer Columns }
    ? keyof Columns & TimeName
    : never
  : TimeName;

/** Names of all fields, the service's own included. */
export type ReadableName<Fields extends FieldDefinitions, Times extends TimeName = TimeName> =
  | 'id'
  | Times
  | FieldName<Fields>;

/** Keys of the fields that a new record must have. */
type NeededKey<Fields extends FieldDefinitions> = {
  [Key in keyof Fields & string]: Fields[Key]['options'] extends { readonly required: true }
    ? Fields[Key]['options'] extends
        | { readonly generated: true }
        | { readonly default: NonNullable<CommonOptions['default']> }
      ? never
      : Key
    : never;
}[keyof Fields & string];

/** Makes an intersection readable in an editor. */
type Flat<Type> = { [Key in keyof Type]: Type[Key] };

type Values<Fields extends FieldDefinitions> = {
  -readonly [Key in keyof Fields & string as NameOf<Key, Fields[Key]>]: ValueOf<Fields[Key]>;
};

type Inputs<Fields extends FieldDefinitions, Keys extends keyof Fields & string> = {
  -readonly [Key in Keys as IsAssigned<Fields[Key]> extends true ? never : NameOf<Key, Fields[Key]>]: InputOf<
    Fields[Key]
  >;
};

/** The result of `defineResource`: the model, and for the compiler its fields. */
export interface Resource<
  Fields extends FieldDefinitions = FieldDefinitions,
  Views extends object = object,
  Relations extends DeclaredRelations = DeclaredRelations,
  Name extends string = string,
  Id extends RecordId = RecordId,
  Times extends TimeName = TimeName,
  Given extends string = string,
> extends ResourceModel {
  readonly name: Name;
  readonly [definedFields]?: Fields;
  readonly [definedViews]?: Views;
  readonly [definedRelations]?: Relations;
  readonly [definedId]?: Id;
  readonly [definedTimes]?: readonly Times[];
  readonly [definedGiven]?: Given;
}

declare const definedFields: unique symbol;
declare const definedViews: unique symbol;
declare const definedRelations: unique symbol;
declare const definedId: unique symbol;
declare const definedTimes: unique symbol;
declare const definedGiven: unique symbol;

type FieldsOf<Model> = Model extends Resource<infer Fields> ? Fields : never;
/** The type of the ids of a model's records. */
export type IdOf<Model> =
  Model extends Resource<FieldDefinitions, object, DeclaredRelations, string, infer Id> ? Id : never;

type TimesOf<Model> =
  Model extends Resource<FieldDefinitions, object, DeclaredRelations, string, RecordId, infer Times>
    ? Times
    : never;

/** `id` where the body of a create gives it, else never. */
type GivenOf<Model> =
  Model extends Resource<FieldDefinitions, object, DeclaredRelations, string, RecordId, TimeName, infer Given>
    ? string extends Given
      ? never
      : Given
    : never;

/** The id in the body of a create. */
type GivenId<Model> = { [Name in GivenOf<Model>]: IdOf<Model> };

type ViewsOf<Model> = Model extends Resource<FieldDefinitions, infer Views> ? Views : never;
type DeclaredOf<Model> =
  Model extends Resource<FieldDefinitions, object, infer Relations> ? Relations : never;

/** Names of the fields of a view: its own, else those of `detail`, else all. */
type ShownIn<View extends string, Views, Name> = Views extends {
  readonly [Key in View]: readonly (infer Named)[];
}
  ? Named
  : View extends 'detail'
    ? Name
    : ShownIn<'detail', Views, Name>;

/** Fields of a view. A view without a list of its own includes the conditional ones. */
type ShownName<Model, View extends string> =
  | ShownIn<View, ViewsOf<Model>, ReadableName<FieldsOf<Model>, TimesOf<Model>>>
  | (ViewsOf<Model> extends { readonly [Key in View]: readonly unknown[] }
      ? View extends 'detail'
        ? ConditionalName<ViewsOf<Model>>
        : never
      : ConditionalName<ViewsOf<Model>>);

/** Names of the fields that callers see in some records only. */
type ConditionalName<Views> = Views extends {
  readonly when: readonly (readonly [unknown, readonly (infer Named)[]])[];
}
  ? Named
  : never;

type RecordIn<Model, View extends string> = RecordWith<
  RecordOf<Model>,
  ShownName<Model, View>,
  ConditionalName<ViewsOf<Model>>
>;

type RecordWith<Whole, Shown, Conditional> = [Conditional] extends [never]
  ? Flat<Pick<Whole, Shown & keyof Whole>>
  : Flat<
      Pick<Whole, Exclude<Shown, Conditional> & keyof Whole> &
        Partial<Pick<Whole, Shown & Conditional & keyof Whole>>
    >;

type FieldConditions<Fields extends FieldDefinitions, Id extends RecordId> = {
  id: OrderedCondition<Id>;
  created_at: OrderedCondition<string>;
  updated_at: OrderedCondition<string>;
} & {
  -readonly [Key in keyof Fields & string as NameOf<Key, Fields[Key]>]: Condition<
    OperandOf<Fields[Key]>,
    OperatorsOf<Fields[Key]>
  >;
};

/** Every comparable field is sortable: all but JSON. */
type SortableName<Fields extends FieldDefinitions> =
  | 'id'
  | 'created_at'
  | 'updated_at'
  | {
      [Key in keyof Fields & string]: 'eq' extends OperatorsOf<Fields[Key]>
        ? NameOf<Key, Fields[Key]>
        : never;
    }[keyof Fields & string];

/** Names of the fields in a response, and so the names that filters and sorts accept. */
type SeenName<Model, View extends SeenView> = View extends 'all'
  ? ReadableName<FieldsOf<Model>, TimesOf<Model>>
  : ShownName<Model, View>;

type Ascending<Model, View extends SeenView> = SeenName<Model, View> & SortableName<FieldsOf<Model>>;

export type RecordOfFields<
  Fields extends FieldDefinitions,
  Id extends RecordId = number,
  Times extends TimeName = TimeName,
> = Flat<{ id: Id } & Values<Fields> & { [Name in Times]: string }>;

export type ChangesOfFields<Fields extends FieldDefinitions> = Flat<
  Partial<Inputs<Fields, keyof Fields & string>>
>;

/** The type of a record with all its fields in a response: `RecordOf<typeof Order>`. */
export type RecordOf<Model> = RecordOfFields<FieldsOf<Model>, IdOf<Model>, TimesOf<Model>>;

/** The type of an item of a list, which may have fewer fields. */
export type ListItemOf<Model> = RecordIn<Model, 'list'>;

/** The type of a record at its own endpoint. */
export type DetailOf<Model> = RecordIn<Model, 'detail'>;

/** The type of the response of create and update. */
export type SavedOf<Model> = RecordIn<Model, 'saved'>;

/**
 * Conditions of a list, joined by AND: `{ status: 'paid', amount: { gte: 5 } }`. Only fields in its response: those
 * of the list view unless another is named.
 */
export type FilterOf<Model, View extends SeenView = 'list'> = {
  readonly [Name in SeenName<Model, View> &
    keyof FieldConditions<FieldsOf<Model>, IdOf<Model>>]?: FieldConditions<
    FieldsOf<Model>,
    IdOf<Model>
  >[Name];
};

/** Sort terms of a list: `created_at`, or `-created_at` for descending. */
export type SortOf<Model, View extends SeenView = 'list'> =
  | Ascending<Model, View>
  | `-${Ascending<Model, View>}`;

/** The type of a record with the fields of a view, or with all. */
export type SeenOf<Model, View extends SeenView> = View extends 'all'
  ? RecordOf<Model>
  : RecordIn<Model, View>;

type DeclaredIn<Model> =
  Model extends Resource<FieldDefinitions, object, infer Relations> ? Relations : never;

/** A record within a body: its model is known by name only, so its fields are plain JSON. */
export interface NestedBody {
  /** Id of a record that is changed or deleted; absent where one is created. */
  readonly id?: RecordId;
  readonly _delete?: boolean;
  readonly [field: string]: unknown;
}

/** Relations whose records a body may contain. */
type NestedOf<Model> = {
  [Name in keyof DeclaredIn<Model> as DeclaredIn<Model>[Name] extends ManyRelation<string, true>
    ? Name
    : never]?: readonly NestedBody[];
};

/** The type of the body that creates a record. */
export type CreateOf<Model> = Flat<
  GivenId<Model> &
    Inputs<FieldsOf<Model>, NeededKey<FieldsOf<Model>>> &
    ChangesOfFields<FieldsOf<Model>> &
    NestedOf<Model>
>;

/** The type of the body that updates a record. */
export type UpdateOf<Model> = Flat<ChangesOfFields<FieldsOf<Model>> & NestedOf<Model>>;

/** The relation of a reference: `customer` of `customer_id`, unless a field has this name. */
type RelationName<Name, Taken> = Name extends `${infer Relation}_id` ? Exclude<Relation, Taken> : never;

/** Reference fields that a request may follow: the fields of the list and of the record's own endpoint. */
type FollowedName<Model, View extends SeenView> = SeenName<Model, View> | SeenName<Model, RelatedView<View>>;

/** Related records have the view of their own endpoints, or every field. */
type RelatedView<View extends SeenView> = View extends 'all' ? 'all' : 'detail';

/** Records of a model at the end of a relation. */
interface RelatedModel<Model, View extends SeenView, Known> {
  readonly record: SeenOf<Model, RelatedView<View>>;
  readonly shown: SeenName<Model, RelatedView<View>> &
    SeenName<Model, View extends 'all' ? 'all' : 'list'> &
    string;
  readonly filter: FilterOf<Model, RelatedView<View>>;
  readonly sort: Ascending<Model, RelatedView<View>>;
  readonly relations: RelationsOf<Model, View, Known>;
}

/** A model by its name, among the given ones; of others only the name is known. */
type RelatedNamed<Name, View extends SeenView, Known, Options = unknown> = Name extends 'User'
  ? Options extends { readonly shows: readonly (infer Shows extends ShownOfUser)[] }
    ? RelatedUser<View, Shows>
    : RelatedUser<View>
  : [Extract<Known, { readonly name: Name }>] extends [never]
    ? AnyRelated
    : RelatedModel<Extract<Known, { readonly name: Name }>, View, Known>;

/** The relations of a model, by name: from its references, and declared ones. */
export type RelationsOf<Model, View extends SeenView, Known> = {
  readonly [Key in keyof FieldsOf<Model> & string as RelationName<
    FollowedName<Model, View> & ReferenceName<Key, FieldsOf<Model>[Key]>,
    FieldName<FieldsOf<Model>>
  >]: {
    readonly many: false;
    readonly to: FieldsOf<Model>[Key]['options'] extends { readonly to: infer Name }
      ? RelatedNamed<Name, View, Known, FieldsOf<Model>[Key]['options']>
      : never;
  };
} & {
  readonly [Name in keyof DeclaredOf<Model>]: {
    readonly many: true;
    readonly to: DeclaredOf<Model>[Name] extends ManyRelation<infer Target>
      ? RelatedNamed<Target, View, Known>
      : never;
  };
};

/** Names of the references to a model. */
type ReferencesTo<Fields extends FieldDefinitions, Model extends string> = {
  [Key in keyof Fields & string]: Fields[Key]['options'] extends { readonly to: Model }
    ? NameOf<Key, Fields[Key]>
    : never;
}[keyof Fields & string];

/** Lists of records of other models in a record's body; untyped for a model that is known by name only. */
type ItemsIn<Model, Known, Action extends 'create' | 'update'> = {
  readonly [Name in keyof DeclaredOf<Model> as DeclaredOf<Model>[Name] extends ManyRelation<string, true>
    ? Name
    : never]?: DeclaredOf<Model>[Name] extends ManyRelation<infer Target>
    ? readonly ItemOf<Extract<Known, { readonly name: Target }>, Model, Known, Action>[]
    : never;
};

type ItemOf<Target, Model, Known, Action> = [Target] extends [never]
  ? JsonObject
  : Model extends { readonly name: infer Name extends string }
    ? Action extends 'create'
      ? NewWithin<CreateBodyOf<Target, Known>, ReferencesTo<FieldsOf<Target>, Name>>
      : ItemWithin<
          CreateBodyOf<Target, Known>,
          UpdateBodyOf<Target, Known>,
          ReferencesTo<FieldsOf<Target>, Name>,
          IdOf<Target>
        >
    : never;

/** The body that creates a record, with those within it. */
export type CreateBodyOf<Model, Known> = CreateOf<Model> & ItemsIn<Model, Known, 'create'>;

/** The body that updates a record, with those within it. */
export type UpdateBodyOf<Model, Known> = UpdateOf<Model> & ItemsIn<Model, Known, 'update'>;
