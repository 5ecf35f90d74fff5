import type { IdentityCondition, OrderedCondition, TextCondition } from '#model';
import type { ApiKey, ApiKeyNames, ApiKeyTimes, User, UserNames, UserTimes } from './records.ts';

/** The responses of the endpoints that every service has. Timestamps are `YYYY-MM-DDTHH:MM:SS.mmmZ`. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Conditions on a value, by its type; no more than equality on choices. */
type ConditionOn<Value> = string extends Value
  ? TextCondition
  : [Value] extends [string]
    ? IdentityCondition<Value>
    : OrderedCondition<NonNullable<Value>>;

/** The list of such records: each of `Names` is a filter and a sort. `Times` are texts that are compared as moments. */
interface ListOf<Listed, Names extends keyof Listed & string, Times extends keyof Listed = never> {
  readonly listed: Listed;
  readonly filter: {
    readonly [Name in Names]?: Name extends Times ? OrderedCondition<string> : ConditionOn<Listed[Name]>;
  };
  readonly sort: Names | `-${Names}`;
}

export type UserShape = ListOf<User, UserNames, UserTimes>;

export type ApiKeyShape = ListOf<ApiKey, ApiKeyNames, ApiKeyTimes>;

/** A key as its creation returns it: `key` in full, 64 hex digits, this once. */
export type NewApiKey = Pick<ApiKey, 'id' | 'name' | 'key' | 'expires_at' | 'created_at'> &
  Partial<Pick<ApiKey, 'scopes' | 'networks' | 'limit' | 'quota'>>;

/** A rotated key: `key` in full, this once; the old one is refused from `previous_until` on, at once where it is null. */
export type RotatedApiKey = NewApiKey & { readonly previous_until: string | null };

/** The receipt of a payment; the middle three are taken over from the body, null where it has none. */
export interface Receipt {
  readonly id: number;
  readonly app_id: string;
  readonly order_no: Json;
  readonly amount: Json;
  readonly currency: Json;
  readonly status: 'received';
  readonly created_at: string;
}

type Action = 'list' | 'detail' | 'create' | 'update' | 'destroy';

export interface MetadataField {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly required: boolean;
  /** `owner`: among the owner's records. */
  readonly unique: boolean | 'owner';
  /** For this caller. */
  readonly read_only: boolean;
  readonly default?: Json;
  /** Heading under which forms show it. */
  readonly group?: string;
  readonly choices?: readonly {
    readonly value: string;
    readonly label: string;
    /** Name of a colour: `green`. */
    readonly color?: string;
  }[];
  readonly bounds?: Readonly<Record<string, string | number>>;
  /** Model whose id the field holds. */
  readonly reference?: string;
  /** Of a reference: whether it may name records that the caller may not read. */
  readonly anyone?: boolean;
  /** Of a reference: the field of which the record that it names has the same value. */
  readonly same?: string;
  /** Of a reference, when what it names is deleted: that is refused, it becomes null, or the record is deleted too. */
  readonly on_delete?: 'restrict' | 'null' | 'cascade';
  readonly operators: readonly string[];
  readonly sortable: boolean;
  readonly searchable: boolean;
  /** The use of an aggregate for it: group by it, or by spans of its time, and compute. */
  readonly groupable: boolean;
  readonly buckets: readonly string[];
  readonly measures: readonly string[];
}

type JsonSchema = Readonly<Record<string, Json>>;

/** A relation that the caller may follow. */
export interface MetadataRelation {
  /** For `include`, and in filters and sorts: `customer.name`. */
  readonly name: string;
  readonly label: string;
  /** Whether it leads to any number of records, which are an array. */
  readonly many: boolean;
  /** Model of the records; `User`: a user of the service. */
  readonly model: string;
  /** Whether its records can be written within this one. */
  readonly write: boolean;
  /** Fields of the records that the caller reads, and how they filter and sort. */
  readonly fields: readonly {
    readonly name: string;
    readonly operators: readonly string[];
    readonly sortable: boolean;
  }[];
  /** Of one record: the reference by which this one names it. */
  readonly field?: string;
  /** Of many: the reference by which they, or the records between, name this one. */
  readonly by?: string;
  /** Of many: model of the records between. */
  readonly through?: string;
  /** With `through`: the reference by which those name the other side. */
  readonly on?: string;
}

/** A value for reads and for writes; `create`, `update` and `destroy` in place of `write` where they differ. */
type ForReadsAndWrites<Value> = { readonly read: Value } & {
  readonly [Name in 'write' | 'create' | 'update' | 'destroy']?: Value;
};

/** A model as a front end renders lists and forms of it. */
export interface Metadata {
  readonly model: string;
  readonly singular: string;
  readonly plural: string;
  readonly label: string;
  /** Label of several records. */
  readonly plural_label: string;
  /** Name of its icon in the administration area, and the heading above it in the menu there. */
  readonly icon?: string;
  readonly menu?: string;
  /** Name of a record: `{number} · {status}`. */
  readonly display?: string;
  readonly endpoints: readonly {
    readonly action: Action | 'aggregate' | 'file' | 'history' | 'restore';
    readonly method: string;
    readonly path: string;
    readonly authentication: readonly string[];
  }[];
  readonly fields: readonly MetadataField[];
  readonly relations: readonly MetadataRelation[];
  /** Sets of fields whose values no two records share all at once. */
  readonly unique: readonly (readonly string[])[];
  readonly schemas: Readonly<Record<'create' | 'update' | 'read', JsonSchema>>;
  /** For react-jsonschema-form. */
  readonly uiSchema: JsonSchema;
  /**
   * The records that callers other than super_admin and admin reach, in words, and as trees in `rules`. Absent: all of them.
   */
  readonly isolation?: ForReadsAndWrites<string> & { readonly rules: ForReadsAndWrites<JsonSchema> };
  /** Whether each write is an event. */
  readonly events?: boolean;
  /** Whether a deleted record can be restored. */
  readonly trash?: boolean;
  /** The deleted records that callers other than super_admin and admin see and restore, in words. Absent: none. */
  readonly manage?: string;
  /** Why a permission that the table grants is false. */
  readonly reasons?: { readonly create: string };
  /** The rights of this caller. */
  readonly permissions: Readonly<Record<Action, boolean>>;
}
