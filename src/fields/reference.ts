import { flag, label, type OptionTable, oneOf, textual } from '../kernel/options.ts';
import {
  type CommonOptions,
  commonOptions,
  definition,
  type FieldDefinition,
  type FieldType,
  type OnDelete,
} from './field.ts';
import { type IdentityOperator, identityOperators, numberOf, orNull, parseInteger } from './values.ts';

/** Options beside the name of the model. */
export interface ReferenceExtras extends CommonOptions {
  readonly default?: number;
  /**
   * Any record that exists may be named, also one that the caller may not read. Without it a body may name only what
   * the caller could read by the referred model's own detail endpoint; anything else is answered as a missing id.
   */
  readonly anyone?: boolean;
  /**
   * What becomes of the record when what it refers to is deleted. `restrict`: nothing, as that is refused (409). `null`:
   * the reference becomes null. `cascade`: the record is deleted too, as by the system: its hooks run, and it stands in
   * the audit list. Where it is not given: `restrict` for required references, `null` for others.
   */
  readonly onDelete?: 'restrict' | 'null' | 'cascade';
}

/** A required reference never becomes null. */
type Kept<Extras> = Extras extends { readonly required: true }
  ? { readonly onDelete?: Exclude<OnDelete, 'null'> }
  : unknown;

export interface ReferenceOptions extends ReferenceExtras {
  /** Name of the model that is referred to; `User` for a user of the service. */
  readonly to: string;
  /** The reference says whose the record is: ownership and isolation go by it. */
  readonly owner?: boolean;
}

const onDeleteOption = oneOf('restrict', 'null', 'cascade');

/** The id of another record, checked to be there for the caller. The field `author` has the name and the column `author_id`. */
export const reference = {
  kind: 'reference',
  column: 'integer',
  define: <const To extends string, const Extras extends ReferenceExtras = ReferenceExtras>(
    to: To,
    extras?: Extras & { [Key in Exclude<keyof Extras, keyof ReferenceExtras>]: never } & Kept<Extras>,
  ): FieldDefinition<Extras & { readonly to: To }, number, number, IdentityOperator> =>
    definition(reference, extras, { to }),
  options: {
    ...commonOptions,
    anyone: flag,
    onDelete: onDeleteOption,
  } satisfies OptionTable<ReferenceExtras>,
  argument: { option: 'to', list: false },
  modifiers: ['onDelete'],
  flaw: ({ to, required, onDelete }) =>
    textual(to, 'the name of the model') ??
    (onDelete === undefined ? undefined : onDeleteOption(onDelete, 'onDelete')) ??
    (required === true && onDelete === 'null'
      ? 'onDelete: a required reference cannot become null, so it is "restrict" or "cascade"'
      : undefined),
  input: () => ({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  encode: numberOf,
  operators: identityOperators,
  parse: (text) => {
    const id = parseInteger(text);
    return id !== undefined && id >= 1 ? id : undefined;
  },
  fromText: (text) => parseInteger(text) ?? orNull(text),
  searchable: false,
  sortable: true,
  target: ({ to }) => to,
  // Where a body may say whose a record is, it may say that it is somebody else's.
  onDelete: ({ onDelete, required }) => onDelete ?? (required === true ? 'restrict' : 'null'),
  anyone: ({ anyone, owner }) => anyone === true || owner === true,
} satisfies FieldType<ReferenceOptions>;

interface OwnerOptions extends Pick<CommonOptions, 'label' | 'group'> {
  /** A user owns one record at most. */
  readonly unique?: boolean;
}

const ownerOptions = { label, group: label, unique: flag } satisfies OptionTable<OwnerOptions>;

/** The reference to the user whose record it is: `user_id: field.owner()`. */
export const defineOwner = (
  options: OwnerOptions = {},
): FieldDefinition<
  ReferenceOptions & { readonly to: 'User'; readonly owner: true },
  number,
  number,
  IdentityOperator
> => definition(reference, options, { to: 'User', owner: true }, ownerOptions);
