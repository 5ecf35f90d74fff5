import type { IdentityCondition, OrderedCondition, TextCondition } from '#model';

/** The responses of the endpoints that every service has. Timestamps are `YYYY-MM-DDTHH:MM:SS.mmmZ`. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface User {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly string[];
}

export interface UserShape {
  readonly listed: User;
  readonly filter: {
    readonly id?: OrderedCondition<number>;
    readonly username?: TextCondition;
    readonly email?: TextCondition;
    readonly name?: TextCondition;
  };
  readonly sort: Sorted<'id' | 'username' | 'email' | 'name'>;
}

/** A key as it is listed: masked. */
export interface ApiKey {
  readonly id: number;
  readonly name: string;
  /** The first 8 hex digits and `****`. */
  readonly key: string;
  readonly status: 'active' | 'expired';
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export interface ApiKeyShape {
  readonly listed: ApiKey;
  readonly filter: {
    readonly id?: OrderedCondition<number>;
    readonly name?: TextCondition;
    readonly key?: TextCondition;
    readonly status?: IdentityCondition<'active' | 'expired'>;
    readonly expires_at?: OrderedCondition<string>;
    readonly created_at?: OrderedCondition<string>;
    readonly last_used_at?: OrderedCondition<string>;
  };
  readonly sort: Sorted<keyof ApiKey>;
}

type Sorted<Name extends string> = Name | `-${Name}`;

/** A key as its creation returns it: in full, this once. */
export interface NewApiKey {
  readonly id: number;
  readonly name: string;
  /** 64 hex digits. */
  readonly key: string;
  readonly expires_at: string | null;
  readonly created_at: string;
}

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
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly bounds?: Readonly<Record<string, string | number>>;
  /** Model whose id the field holds. */
  readonly reference?: string;
  /** Of a reference: whether it may name records that the caller may not read. */
  readonly anyone?: boolean;
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

/** A model as a front end renders lists and forms of it. */
export interface Metadata {
  readonly model: string;
  readonly singular: string;
  readonly plural: string;
  readonly label: string;
  readonly endpoints: readonly {
    readonly action: Action | 'aggregate';
    readonly method: string;
    readonly path: string;
    readonly authentication: readonly string[];
  }[];
  readonly fields: readonly MetadataField[];
  /** Sets of fields whose values no two records share all at once. */
  readonly unique: readonly (readonly string[])[];
  readonly schemas: Readonly<Record<'create' | 'update' | 'read', JsonSchema>>;
  /** For react-jsonschema-form. */
  readonly uiSchema: JsonSchema;
  /** Why a permission that the table grants is false. */
  readonly reasons?: { readonly create: string };
  /** The rights of this caller. */
  readonly permissions: Readonly<Record<Action, boolean>>;
}
