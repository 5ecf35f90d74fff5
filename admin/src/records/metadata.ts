/** Metadata as `/admin/meta` answers it: all that these pages know of a resource. */

export interface ModelEntry {
  readonly model: string;
  readonly label: string;
  /** Last part of the path: `orders`. */
  readonly path: string;
  readonly fields: number;
}

export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'like' | 'starts_with' | 'null';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface MetadataField {
  readonly name: string;
  readonly label: string;
  readonly type: string;
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

export interface Metadata {
  readonly model: string;
  readonly singular: string;
  readonly plural: string;
  readonly label: string;
  readonly fields: readonly MetadataField[];
  readonly permissions: Readonly<Record<'list' | 'detail' | 'create' | 'update' | 'destroy', boolean>>;
}
