/**
 * The field type `reference`: the id of another record, with the consequence of its deletion, and the
 * reference to an owner.
 */

import {
  flag,
  label,
  listOf,
  type OptionCheck,
  type OptionTable,
  oneOf,
  textual,
} from '../kernel/options.ts';
import {
  type CommonOptions,
  commonOptions,
  definition,
  type FieldDefinition,
  type FieldType,
  type OnDelete,
  type Strict,
  type Wrong,
} from './field.ts';
import type { RecordKey } from './key.ts';
import { signedKey } from './keys/signed.ts';
import { defaultKey, type IdOfKey, type KeyKind, keyKinds, recordKeys } from './keys.ts';
import { type ModelName, modelName } from './named-model.ts';
import { type IdentityOperator, identityOperators } from './values.ts';

/** Options beside the name of the model. */
export interface ReferenceExtras extends CommonOptions {
  readonly default?: number | string;
  /** The key of the referenced model, where it is another one than `'integer'`. */
  readonly key?: KeyKind;
  /** Accepts any existing record, even one that the caller may not read. */
  readonly anyone?: boolean;
  /**
   * The consequence for the record when the referenced one is deleted. `restrict`: the deletion is refused (409).
   * `null`: the reference becomes null. `cascade`: the record is deleted too, as by the system. Default: `restrict`
   * for required references, `null` for others.
   */
  readonly onDelete?: 'restrict' | 'null' | 'cascade';
  /**
   * A required reference that both models have, by its key: `same: 'clinic'` admits only records of the same clinic.
   * A record to which others refer in this way cannot move (422).
   */
  readonly same?: string;
  /**
   * Fields that everyone who reads the record sees of a referenced `User`, in addition to the id.
   */
  readonly shows?: readonly ShownOfUser[];
}

/** Fields of users that a reference can show. */
const shownOfUser = ['username', 'email', 'name'] as const;
export type ShownOfUser = (typeof shownOfUser)[number];

/** Only users are shown. */
type ShowsOfUser<To, Extras> = Extras extends { readonly shows: unknown }
  ? To extends 'User'
    ? unknown
    : { readonly shows?: Wrong<'only references to User show fields'> }
  : unknown;

const shows: OptionCheck = (value, path) => {
  const flaw = listOf(oneOf(...shownOfUser))(value, path);
  if (flaw !== undefined) return flaw;
  return Array.isArray(value) && value.length === 0 ? `${path} is empty: say what is shown` : undefined;
};

/** The type of a stored reference: a required one never becomes null. */
type Kept<Extras> = Extras extends { readonly required: true }
  ? { readonly onDelete?: Exclude<OnDelete, 'null'> }
  : unknown;

export interface ReferenceOptions extends ReferenceExtras {
  /** Name of the referenced model; `User` for a user of the service. A function until models are collected. */
  readonly to: ModelName;
  /** The reference determines the owner of the record, for ownership and isolation. */
  readonly owner?: boolean;
}

const onDeleteOption = oneOf('restrict', 'null', 'cascade');

/** The id that a reference has, by its option `key`. */
type IdOfReference<Extras extends ReferenceExtras> = IdOfKey<Extras['key']>;

type KeyMember = 'column' | 'input' | 'encode' | 'parse' | 'fromText' | 'indexBytes' | 'check';
type KeyMembers = Pick<FieldType, KeyMember>;

/** The members of the type that the key of the referenced records decides. */
const valuesOf = ({ field: { type, options }, schema, of }: RecordKey): KeyMembers => {
  const members: KeyMembers = {
    column: type.column,
    input: () => schema,
    encode: type.encode,
    parse: (text) => {
      const id = type.parse(text, options);
      return id === undefined || of(id) === undefined ? undefined : id;
    },
    fromText: type.fromText,
    indexBytes: () => type.indexBytes?.(options) ?? 16,
  };
  return type.check === undefined ? members : { ...members, check: type.check };
};

/**
 * The id of another record, which must exist for the caller. The field `author` has the name and the column
 * `author_id`.
 */
export const reference = {
  kind: 'reference',
  define: <
    const To extends string,
    const Extras extends ReferenceExtras = ReferenceExtras & { readonly key?: 'integer' },
  >(
    to: ModelName<To>,
    extras?: Strict<Extras, ReferenceExtras> & Kept<Extras> & ShowsOfUser<To, Extras>,
  ): FieldDefinition<
    Extras & { readonly to: To },
    IdOfReference<Extras>,
    IdOfReference<Extras>,
    IdentityOperator
  > => definition(typeBy(extras?.key), extras, { to }),
  options: {
    ...commonOptions,
    anyone: flag,
    onDelete: onDeleteOption,
    key: oneOf(...keyKinds),
    same: textual,
    shows,
  } satisfies OptionTable<ReferenceExtras>,
  argument: { option: 'to', list: false },
  modifiers: ['onDelete', 'same', 'key'],
  flaw: ({ to, key = defaultKey.kind, required, onDelete, shows }) =>
    modelName(to, 'the name of the model') ??
    (to === 'User' && key !== defaultKey.kind ? `the key of User is '${defaultKey.kind}'` : undefined) ??
    (shows !== undefined && to !== 'User'
      ? `shows is for references to User, not to ${typeof to === 'function' ? 'another model' : to}`
      : undefined) ??
    (onDelete === undefined ? undefined : onDeleteOption(onDelete, 'onDelete')) ??
    (required === true && onDelete === 'null'
      ? 'onDelete: a required reference cannot become null, so it is "restrict" or "cascade"'
      : undefined),
  ...valuesOf(defaultKey),
  operators: identityOperators,
  searchable: false,
  sortable: true,
  by: ({ key }): FieldType => typeBy(key),
  target: ({ to }) => (typeof to === 'function' ? '' : to),
  shows: ({ shows }) => shows,
  same: ({ same }) => same,
  // A body that may set the owner may also name another user.
  onDelete: ({ onDelete, required }) => onDelete ?? (required === true ? 'restrict' : 'null'),
  anyone: ({ anyone, owner }) => anyone === true || owner === true,
} satisfies FieldType<ReferenceOptions>;

/** The types of references to records with other keys. */
const types: ReadonlyMap<unknown, FieldType> = new Map(
  keyKinds.map((kind) => [
    kind,
    kind === defaultKey.kind ? reference : { ...reference, ...valuesOf(recordKeys[kind]) },
  ]),
);

/** The type of a reference to a record of an external table with the key `integer`. */
export const signedReference: FieldType = { ...reference, ...valuesOf(signedKey) };

const typeBy = (key: KeyKind | undefined): FieldType => types.get(key) ?? reference;

/** The key of the records to which a reference refers. */
export const keyOfReference = ({ type, options }: FieldDefinition): RecordKey | undefined => {
  if (type.target === undefined) return undefined;
  const { key = 'integer' } = options as Pick<ReferenceExtras, 'key'>;
  return recordKeys[key];
};

interface OwnerOptions extends Pick<CommonOptions, 'label' | 'group'>, Pick<ReferenceExtras, 'shows'> {
  /** A user owns one record at most. */
  readonly unique?: boolean;
}

const ownerOptions = { label, group: label, unique: flag, shows } satisfies OptionTable<OwnerOptions>;

/** The reference to the owner of the record: `user_id: field.owner()`. */
export const defineOwner = <const Options extends OwnerOptions = Record<never, never>>(
  options?: Strict<Options, OwnerOptions>,
): FieldDefinition<
  Options & { readonly to: 'User'; readonly owner: true },
  number,
  number,
  IdentityOperator
> => definition(reference, options, { to: 'User', owner: true }, ownerOptions);
