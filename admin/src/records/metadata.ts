/** Metadata as `/admin/meta` returns it: all that these pages know of a resource. */

import type { FieldKind } from '../../../src/fields/registry.ts';

export interface ModelEntry {
  readonly model: string;
  readonly label: string;
  /** Label of several records. */
  readonly plural_label: string;
  /** Last part of the path: `orders`. */
  readonly path: string;
  /** Template of the names of records; null if they have only ids. */
  readonly display: string | null;
  readonly fields: number;
  /** Number of conditions of row rules about its records; if there are some, the records are memberships. */
  readonly opens: number;
  /** True if its changes create events: for webhooks and live lists. */
  readonly events: boolean;
  /** Name of its icon, and its heading in the menu. */
  readonly icon: string | null;
  readonly menu: string | null;
}

/** Records that a membership opens. */
export interface OpenedModel {
  readonly model: string;
  readonly path: string;
  readonly access: 'read' | 'write';
  /** The field with the value of `on`; null for a field of a referenced record. */
  readonly field: string | null;
  /** Field of the membership. */
  readonly on: string;
  readonly where: readonly { readonly field: string; readonly values: readonly string[] }[];
}

export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'like' | 'starts_with' | 'null';

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Name of its colour. */
  readonly color?: string;
}

/** A field of a list of the service, as `/admin/lists` describes it. */
export type ListedField = Pick<
  MetadataField,
  'name' | 'label' | 'type' | 'required' | 'choices' | 'reference' | 'operators' | 'sortable' | 'searchable'
>;

export interface MetadataField {
  readonly name: string;
  readonly label: string;
  readonly type: FieldKind;
  /** Heading of its group. */
  readonly group?: string;
  readonly required: boolean;
  readonly unique: boolean | 'owner';
  readonly read_only: boolean;
  readonly default?: unknown;
  readonly choices?: readonly Choice[];
  readonly bounds?: Readonly<Record<string, number | string>>;
  /** Name of the referenced model. */
  readonly reference?: string;
  /** Of a reference: the field of which the named record has the same value as this one. */
  readonly same?: string;
  readonly operators: readonly Operator[];
  readonly sortable: boolean;
  readonly searchable: boolean;
}

/** A relation of a record to others. */
export interface MetadataRelation {
  readonly name: string;
  readonly label: string;
  readonly many: boolean;
  readonly model: string;
  /** Only for many: the reference to this record. */
  readonly by?: string;
  readonly through?: string;
}

export interface Metadata {
  /** Template of the names of records. */
  readonly display?: string;
  readonly model: string;
  readonly singular: string;
  readonly plural: string;
  readonly label: string;
  readonly plural_label: string;
  readonly icon?: string;
  readonly menu?: string;
  /** The operations of the resource in this area: `list`, `history`, `restore` … */
  readonly endpoints: readonly { readonly action: string }[];
  readonly fields: readonly MetadataField[];
  readonly relations: readonly MetadataRelation[];
  /** JSON Schemas of the bodies, including relations that are written with a record. */
  readonly schemas: Readonly<
    Record<'create' | 'update', { readonly properties?: Readonly<Record<string, unknown>> }>
  >;
  /** True if changes of its records create events. */
  readonly events?: boolean;
  /** True if deleted records can be restored. */
  readonly trash?: boolean;
  /** References of other models to its records. */
  readonly referenced_by?: readonly {
    readonly model: string;
    readonly field: string;
    readonly label: string;
  }[];
  /** The access of owners to the records, if row rules use it. */
  readonly opens?: readonly OpenedModel[];
  readonly permissions: Readonly<Record<'list' | 'detail' | 'create' | 'update' | 'destroy', boolean>>;
}

/** The metadata of a form: fields that the action does not accept are read-only. */
export const metadataFor = (metadata: Metadata, action: 'create' | 'update'): Metadata => ({
  ...metadata,
  fields: metadata.fields.map((field) =>
    Object.hasOwn(metadata.schemas[action].properties ?? {}, field.name)
      ? field
      : { ...field, read_only: true },
  ),
});

export interface FieldInputProps {
  readonly field: MetadataField;
  readonly value: unknown;
  readonly error: string | undefined;
  /** Values of the record in its form, by which a reference with `same` offers its choices. */
  readonly record?: Readonly<Record<string, unknown>>;
  readonly onChange: (value: unknown) => void;
}
