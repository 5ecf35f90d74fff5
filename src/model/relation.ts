/** Relations as a model file declares them. `relations.ts` resolves them once all models are known. */

import type { Strict } from '../fields/field.ts';
import { type ModelName, modelName } from '../fields/named-model.ts';
import type { Label } from '../kernel/messages.ts';
import { flag, label, type OptionCheck, type OptionTable, optionsFlaw, textual } from '../kernel/options.ts';

export interface ManyOptions {
  /**
   * The reference of its records to this one: `order`, or `order_id`. Required only where there are several. With
   * `through`, that of the records between.
   */
  readonly by?: string;
  /** The model whose records join the two, each with a reference to either. */
  readonly through?: ModelName;
  /** With `through`: the reference to the other side. Required only where there are several. */
  readonly on?: string;
  /** Its records can be written within this one: `lines: [{ … }, { id: 3, … }, { id: 4, _delete: true }]`. */
  readonly write?: boolean;
  /** Display name; by default the words of its name. */
  readonly label?: Label;
}

/** The reverse of a reference: the records that refer to this one. Types exist for the compiler only. */
export interface ManyRelation<Target extends string = string, Write extends boolean = boolean> {
  readonly [said]: SaidMany;
  readonly [target]?: Target;
  readonly [write]?: Write;
}

declare const target: unique symbol;
declare const write: unique symbol;
const said: unique symbol = Symbol('relation');

type Optional<Options> = { readonly [Name in keyof Options]?: Options[Name] | undefined };

/** A declared relation, unresolved. */
export interface SaidMany extends Optional<ManyOptions> {
  readonly model: ModelName;
  /** Its flaw, reported with its name later. */
  readonly flaw: string | undefined;
}

const options = {
  by: textual,
  through: modelName,
  on: textual,
  write: flag,
  label,
} satisfies OptionTable<ManyOptions>;

const flawOf = (model: unknown, given: ManyOptions): string | undefined => {
  const flaw = modelName(model, 'the name of the model') ?? optionsFlaw(given, options);
  if (flaw !== undefined) return flaw;
  if (given.on !== undefined && given.through === undefined)
    return 'on: it names a reference of the model between, which `through` names';
  return given.write === true && given.through !== undefined
    ? 'write: records behind another model are not written within this one'
    : undefined;
};

/**
 * Records of another model that belong to this one: `lines: many('OrderLine', { by: 'order', write: true })`, or
 * `tags: many('Tag', { through: 'ProductTag' })`. A reader of the record sees the related records that they could
 * read by the other model's own endpoint.
 */
export const many = <const Target extends string, const Options extends ManyOptions = Record<never, never>>(
  model: ModelName<Target>,
  given?: Strict<Options, ManyOptions>,
): ManyRelation<Target, Options extends { readonly write: true } ? true : false> => {
  const { by, through, on, write: writes, label: words }: ManyOptions = given ?? {};
  return Object.freeze({
    [said]: Object.freeze({
      model,
      by,
      through,
      on,
      write: writes,
      label: words,
      flaw: flawOf(model, given ?? {}),
    }),
  });
};

export const saidMany = (relation: ManyRelation): SaidMany => relation[said];

/** True if a value of a model file was created by `many`. */
export const manyRelation: OptionCheck = (value, path) => {
  if (typeof value !== 'object' || value === null || !(said in value))
    return `${path} must be made by many(…)`;
  const { flaw } = value[said] as SaidMany;
  return flaw === undefined ? undefined : `${path}: ${flaw}`;
};
