import type { CommonOptions, FieldDefinition, InputOf, ValueOf } from '../fields/field.ts';
import type { ResourceModel } from './resource.ts';

/** The fields of a model file, by their keys. */
export type FieldDefinitions = Readonly<Record<string, FieldDefinition>>;

/** A reference `author` is the field `author_id`; every other field has the name of its key. */
type NameOf<Key extends string, Definition extends FieldDefinition> = Definition['options'] extends {
  readonly to: string;
}
  ? Key extends `${string}_id`
    ? Key
    : `${Key}_id`
  : Key;

/** Names of the fields that a model file defines. */
export type FieldName<Fields extends FieldDefinitions> = {
  [Key in keyof Fields & string]: NameOf<Key, Fields[Key]>;
}[keyof Fields & string];

/** Names of all fields, the service's own included. */
export type ReadableName<Fields extends FieldDefinitions> =
  | 'id'
  | 'created_at'
  | 'updated_at'
  | FieldName<Fields>;

/** Keys of the fields that a new record cannot do without. */
type NeededKey<Fields extends FieldDefinitions> = {
  [Key in keyof Fields & string]: Fields[Key]['options'] extends { readonly required: true }
    ? Fields[Key]['options'] extends { readonly default: NonNullable<CommonOptions['default']> }
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
  -readonly [Key in Keys as NameOf<Key, Fields[Key]>]: InputOf<Fields[Key]>;
};

/** What `defineResource` returns: the model, and for the compiler the fields that it was made of. */
export interface Resource<Fields extends FieldDefinitions = FieldDefinitions> extends ResourceModel {
  readonly [definedFields]?: Fields;
}

declare const definedFields: unique symbol;

type FieldsOf<Model> = Model extends Resource<infer Fields> ? Fields : never;

export type RecordOfFields<Fields extends FieldDefinitions> = Flat<
  { id: number } & Values<Fields> & { created_at: string; updated_at: string }
>;

export type ChangesOfFields<Fields extends FieldDefinitions> = Flat<
  Partial<Inputs<Fields, keyof Fields & string>>
>;

/** The type of a record with all its fields, as it is answered: `RecordOf<typeof Order>`. */
export type RecordOf<Model> = RecordOfFields<FieldsOf<Model>>;

/** The type of the body that creates a record. */
export type CreateOf<Model> = Flat<
  Inputs<FieldsOf<Model>, NeededKey<FieldsOf<Model>>> & ChangesOfFields<FieldsOf<Model>>
>;

/** The type of the body that updates a record. */
export type UpdateOf<Model> = ChangesOfFields<FieldsOf<Model>>;
