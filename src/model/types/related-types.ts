/**
 * The types of names beyond a request's own records: relations to include, and fields behind them in filters and
 * sorts. They follow from the type of each relation, so that they serve models and handwritten types alike.
 */

import type { Wrong } from '../../fields/field.ts';
import type { RecordId } from '../../fields/key.ts';
import type { JsonObject } from '../../kernel/json.ts';

/** Records of a model at the end of a relation. */
interface RelatedShape {
  /** Every field that can be selected. */
  readonly record: object;
  /** Names of the fields that are returned unless selected. */
  readonly shown: string;
  /** Conditions by field. */
  readonly filter: object;
  /** Names of the ordered fields. */
  readonly sort: string;
  readonly relations: object;
}

/** Maximum length of a path, and the rest behind one relation. */
type Steps = 1 | 2 | 3;
interface Left {
  readonly 1: never;
  readonly 2: 1;
  readonly 3: 2;
}

type NameIn<Relations> = keyof Relations & string;

type Target<Relations, Name extends keyof Relations> = Relations[Name] extends {
  readonly to: infer To extends RelatedShape;
}
  ? To
  : never;

/** `customer`, `lines.product`: three relations at most. */
export type RelationPath<Relations, Depth extends Steps = 3> = {
  [Name in NameIn<Relations>]:
    | Name
    | ([Left[Depth]] extends [never]
        ? never
        : `${Name}.${RelationPath<Target<Relations, Name>['relations'], Left[Depth]>}`);
}[NameIn<Relations>];

/** The target of a path. */
type TargetAt<Relations, Path> = Path extends keyof Relations
  ? Target<Relations, Path>
  : Path extends `${infer Name}.${infer Behind}`
    ? Name extends keyof Relations
      ? TargetAt<Target<Relations, Name>['relations'], Behind>
      : never
    : never;

/**
 * The value of `include`: the relations, `['customer', 'lines.product']`, or with the fields of each, `{ customer:
 * true, lines: ['id', 'quantity'] }`.
 */
export type IncludeIn<Relations> =
  | readonly RelationPath<Relations>[]
  | {
      readonly [Path in RelationPath<Relations>]?:
        | true
        | readonly (keyof TargetAt<Relations, Path>['record'] & string)[];
    };

/** Allows only existing relations. */
export type OnlyIncluded<Relations, Include> = Include extends readonly unknown[]
  ? unknown
  : {
      readonly [Path in Exclude<
        keyof Include & string,
        RelationPath<Relations>
      >]: Wrong<`there is no relation ${Path}`>;
    };

/** Fields behind relations, by their paths: `customer.country`, `lines.product.price`. */
type FilterPath<Relations, Depth extends Steps = 3> = {
  [Name in NameIn<Relations>]: `${Name}.${
    | (keyof Target<Relations, Name>['filter'] & string)
    | ([Left[Depth]] extends [never]
        ? never
        : FilterPath<Target<Relations, Name>['relations'], Left[Depth]>)}`;
}[NameIn<Relations>];

type ConditionAt<Relations, Path> = Path extends `${infer Name}.${infer Behind}`
  ? Name extends keyof Relations
    ? Behind extends keyof Target<Relations, Name>['filter']
      ? Target<Relations, Name>['filter'][Behind]
      : ConditionAt<Target<Relations, Name>['relations'], Behind>
    : never
  : never;

/** Conditions on fields behind relations. */
export type RelatedFilter<Relations> = {
  readonly [Path in FilterPath<Relations>]?: ConditionAt<Relations, Path>;
};

/** Names behind relations to one record. */
type SortPath<Relations, Depth extends Steps = 3> = {
  [Name in NameIn<Relations>]: Relations[Name] extends { readonly many: true }
    ? never
    : `${Name}.${
        | Target<Relations, Name>['sort']
        | ([Left[Depth]] extends [never]
            ? never
            : SortPath<Target<Relations, Name>['relations'], Left[Depth]>)}`;
}[NameIn<Relations>];

/** Sort terms by fields behind relations: `-customer.name`. */
export type RelatedSort<Relations> = SortPath<Relations> | `-${SortPath<Relations>}`;

type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** The selection of each relation, by its path. */
type ChoicesOf<Include> = Include extends readonly (infer Path extends string)[]
  ? { readonly [Each in Path]: true }
  : Include;

type FirstOf<Path> = Path extends `${infer Name}.${string}` ? Name : Path;

type Behind<Choices, Name extends string> = {
  readonly [Path in keyof Choices as Path extends `${Name}.${infer Rest}` ? Rest : never]: Choices[Path];
};

type ChoiceOf<Choices, Name> = Name extends keyof Choices ? Choices[Name] : true;

/** The fields of a related record; any field of one whose model is known by name only. */
type FieldsOf<To extends RelatedShape, Choice> = string extends keyof To['record']
  ? To['record']
  : Pick<To['record'], keyof To['record'] & (Choice extends readonly (infer Field)[] ? Field : To['shown'])>;

type RowOf<To extends RelatedShape, Choice, Choices> = string extends keyof To['record']
  ? To['record']
  : Flat<FieldsOf<To, Choice> & RelatedIn<To['relations'], Choices>>;

type RelatedIn<Relations, Choices> = {
  [Name in FirstOf<keyof Choices> & keyof Relations & string]: Relations[Name] extends {
    readonly many: true;
  }
    ? RowOf<Target<Relations, Name>, ChoiceOf<Choices, Name>, Behind<Choices, Name>>[]
    : RowOf<Target<Relations, Name>, ChoiceOf<Choices, Name>, Behind<Choices, Name>> | null;
};

/**
 * A record with its included relations: a key for each relation, an array, or an object or null. For an `include`
 * that is not a literal the keys are unknown.
 */
export type WithRelated<Row, Relations, Include> = string extends keyof Row
  ? Row
  : Include extends readonly unknown[]
    ? number extends Include['length']
      ? Row
      : Include extends readonly []
        ? Row
        : Flat<Row & RelatedIn<Relations, ChoicesOf<Include>>>
    : Record<never, never> extends Include
      ? Row
      : Flat<Row & RelatedIn<Relations, Include>>;

/** A new record within its parent, which sets its reference. */
export type NewWithin<Create, Reference extends PropertyKey> = Omit<Create, Reference> & {
  readonly id?: never;
  readonly _delete?: never;
};

/** A record within its parent: a new one, or one that is changed or deleted. */
export type ItemWithin<Create, Update, Reference extends PropertyKey, Id extends RecordId> =
  | NewWithin<Create, Reference>
  | (Omit<Update, Reference> & { readonly id: Id; readonly _delete?: boolean });

/** Relations of a model that is known by name only: any relation. */
export interface AnyRelations {
  readonly [name: string]: { readonly many: boolean; readonly to: AnyRelated };
}

/** Its records. */
export interface AnyRelated {
  readonly record: JsonObject & { readonly id: number };
  readonly shown: string;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly sort: string;
  readonly relations: AnyRelations;
}
