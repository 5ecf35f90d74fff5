import { compareIds, type Id, type KeyKind } from './ids.ts';
import type { Value, ValueKind } from './values.ts';

/** A record in the names of the API, without what the service sets but its id. */
export type Row = Readonly<Record<string, Value>>;

/** The id of a row. */
export const idOf = (row: Row): Id => row['id'] as Id;

/** The keys of models, by their names. */
export const keysOf = (models: readonly ModelPlan[]) => models.map(({ name, key }) => [name, key] as const);

/** A field as a world plans it. References keep the name of their column. */
export interface FieldPlan {
  readonly name: string;
  readonly kind: ValueKind | 'reference';
  /** The model that a reference names; `User` for a user. */
  readonly to?: string;
  /** The kind of the ids that a reference holds. */
  readonly key?: KeyKind;
  readonly required: boolean;
  readonly anyone?: boolean;
  /** True if readers of the record see the user whom it names. */
  readonly shows?: boolean;
}

export type Method = 'jwt' | 'api_key' | 'signature';
export type Action = 'list' | 'detail' | 'create' | 'update' | 'destroy';
export const actions: readonly Action[] = ['list', 'detail', 'create', 'update', 'destroy'];
export const methods: readonly Method[] = ['jwt', 'api_key', 'signature'];

/** A condition as plain data, of which a rule is made for the service and an outcome for the oracle. */
export type Condition =
  | { readonly kind: 'own'; readonly field: string }
  | { readonly kind: 'equals'; readonly field: string; readonly value: NonNullable<Value> }
  | {
      readonly kind: 'member';
      readonly field: string;
      readonly of: string;
      readonly on: string;
      readonly where: Readonly<Record<string, readonly NonNullable<Value>[]>>;
    }
  | { readonly kind: 'via'; readonly field: string; readonly to: string; readonly rule: Condition }
  | { readonly kind: 'anyOf' | 'allOf'; readonly rules: readonly Condition[] };

export type Right = 'read' | 'create' | 'update' | 'destroy';

/** The conditions of a model by action, and the conditions that its file declares. */
export interface Rules extends Readonly<Record<Exclude<Right, 'read'>, Condition>> {
  readonly read: Condition | 'everyone';
  /** One condition by itself, or conditions by name. */
  readonly said: Condition | Readonly<Partial<Record<Right | 'write', Condition | 'everyone'>>>;
}

export interface ModelPlan {
  readonly name: string;
  readonly key: KeyKind;
  /** Its path, its table and its plural. */
  readonly path: string;
  readonly singular: string;
  readonly fields: readonly FieldPlan[];
  readonly owned: boolean;
  readonly isolation: 'none' | 'owner' | Rules;
  readonly ownership: boolean;
  readonly restricted: readonly string[];
  /** Fields that callers write in records that meet a condition. */
  readonly held: { readonly fields: readonly string[]; readonly unless: Condition } | undefined;
  /** Fields that callers see in records that meet a condition; each is in one set at most. */
  readonly viewed: readonly { readonly fields: readonly string[]; readonly when: Condition }[];
  /** The deleted records that callers beside administrators restore. */
  readonly manage: Condition | undefined;
  readonly publicRead:
    | { readonly field: string; readonly value: NonNullable<Value>; readonly orOwn?: boolean }
    | undefined;
  readonly permissions: 'none' | 'writes' | 'all';
  readonly auth: Readonly<Record<Action, readonly Method[]>>;
}

interface Kept {
  readonly row: Row;
  readonly version: number;
}

/** A write that was made, by the oracle alone. */
export interface Written {
  readonly model: string;
  readonly id: Id;
  readonly version: number;
  readonly action: 'create' | 'update' | 'destroy';
  readonly by: { readonly userId: number | null };
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  /** The record whose deletion made a reference null, or whose return set it again. */
  readonly because: { readonly model: string; readonly id: Id; readonly isBack?: boolean } | undefined;
  /** All rows as the write found them. */
  readonly then: State;
}

/** A record in the trash, with the references that its deletion made null. */
export interface Trashed {
  readonly model: string;
  readonly id: Id;
  readonly version: number;
  readonly row: Row;
  readonly by: { readonly userId: number | null };
  readonly nulled: readonly { readonly model: string; readonly id: Id; readonly field: string }[];
}

/** The rows that the database must hold, by the oracle alone. */
export class State {
  readonly #keys: ReadonlyMap<string, KeyKind>;
  readonly #tables = new Map<string, Map<Id, Kept>>();
  /** All writes, the oldest first. */
  readonly past: Written[] = [];
  /** The oldest first. */
  readonly trash: Trashed[] = [];

  constructor(keys: Iterable<readonly [string, KeyKind]>) {
    this.#keys = new Map(keys);
  }

  table(model: string): Map<Id, Kept> {
    const known = this.#tables.get(model);
    if (known !== undefined) return known;
    const table = new Map<Id, Kept>();
    this.#tables.set(model, table);
    return table;
  }

  /** In order of their ids: a record may come back, or be found behind a later one. */
  rows(model: string): readonly Row[] {
    const key = this.#keys.get(model) ?? 'integer';
    const kept = [...this.table(model)].sort(([a], [b]) => compareIds(key, a, b));
    return kept.map(([, { row }]) => row);
  }

  find(model: string, id: Value | undefined): Row | undefined {
    return this.table(model).get(id as Id)?.row;
  }

  /** The same rows, to be changed apart. */
  copy(): State {
    const copy = new State(this.#keys);
    for (const [model, table] of this.#tables) copy.#tables.set(model, new Map(table));
    copy.past.push(...this.past);
    copy.trash.push(...this.trash);
    return copy;
  }

  version(model: string, id: Id): number {
    return this.table(model).get(id)?.version ?? 0;
  }
}
