/** Metadata as `/admin/meta` returns it: all that these pages know of a resource. */

import type { FieldKind } from '../../../src/fields/registry.ts';

export interface ModelEntry {
  readonly model: string;
  readonly label: string;
  /** Last part of the path: `orders`. */
  readonly path: string;
  /** Template of a record's name; null where it has no name but its id. */
  readonly display: string | null;
  readonly fields: number;
  /** How many conditions of row rules its records can meet: they are memberships where there are any. */
  readonly opens: number;
  /** Whether its changes make events: for webhooks, and for lists that follow along. */
  readonly events: boolean;
  /** Name of its picture, and the heading above it in the menu. */
  readonly icon: string | null;
  readonly menu: string | null;
}

/** Records that a membership opens. */
export interface OpenedModel {
  readonly model: string;
  readonly path: string;
  readonly access: 'read' | 'write';
  /** The field with the value of `on`; null: one of a record that it refers to. */
  readonly field: string | null;
  /** Field of the membership. */
  readonly on: string;
  readonly where: readonly { readonly field: string; readonly values: readonly string[] }[];
}

export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'like' | 'starts_with' | 'null';

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Name of the colour that it is shown in. */
  readonly color?: string;
}

/** A field of a list of the service's own, as `/admin/lists` describes it. */
export type ListedField = Pick<
  MetadataField,
  'name' | 'label' | 'type' | 'required' | 'choices' | 'reference' | 'operators' | 'sortable' | 'searchable'
>;

export interface MetadataField {
  readonly name: string;
  readonly label: string;
  readonly type: FieldKind;
  /** Heading under which it stands. */
  readonly group?: string;
  readonly required: boolean;
  readonly unique: boolean | 'owner';
  readonly read_only: boolean;
  readonly default?: unknown;
  readonly choices?: readonly Choice[];
  readonly bounds?: Readonly<Record<string, number | string>>;
  /** Name of the model that is referred to. */
  readonly reference?: string;
  readonly operators: readonly Operator[];
  readonly sortable: boolean;
  readonly searchable: boolean;
}

/** A way from a record to others. */
export interface MetadataRelation {
  readonly name: string;
  readonly label: string;
  readonly many: boolean;
  readonly model: string;
  /** Of many: the reference by which they name this record. */
  readonly by?: string;
  readonly through?: string;
}

export interface Metadata {
  /** Template of a record's name. */
  readonly display?: string;
  readonly model: string;
  readonly singular: string;
  readonly plural: string;
  readonly label: string;
  readonly icon?: string;
  readonly menu?: string;
  /** The operations of the resource in this area: `list`, `history`, `restore` … */
  readonly endpoints: readonly { readonly action: string }[];
  readonly fields: readonly MetadataField[];
  readonly relations: readonly MetadataRelation[];
  /** JSON Schemas of the bodies: they have the lists that are written within a record. */
  readonly schemas: Readonly<
    Record<'create' | 'update', { readonly properties?: Readonly<Record<string, unknown>> }>
  >;
  /** Whether changes of its records make events. */
  readonly events?: boolean;
  /** Whether deleted records can be brought back. */
  readonly trash?: boolean;
  /** References of other models to its records. */
  readonly referenced_by?: readonly {
    readonly model: string;
    readonly field: string;
    readonly label: string;
  }[];
  /** The access of owners to the records, where row rules ask for them. */
  readonly opens?: readonly OpenedModel[];
  readonly permissions: Readonly<Record<'list' | 'detail' | 'create' | 'update' | 'destroy', boolean>>;
}

/** The metadata of a form: fields that the action does not take are read-only in it. */
export const takenBy = (metadata: Metadata, action: 'create' | 'update'): Metadata => ({
  ...metadata,
  fields: metadata.fields.map((field) =>
    Object.hasOwn(metadata.schemas[action].properties ?? {}, field.name)
      ? field
      : { ...field, read_only: true },
  ),
});

/** The properties of a field's input, whatever its type. */
export interface FieldInputProps {
  readonly field: MetadataField;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
}
