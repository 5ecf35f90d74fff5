/**
 * `defineLocale`: the texts of an application in a further language, their check, and models with these texts.
 */

import type { EnumOptions } from '../fields/enum.ts';
import { type Catalogue, en, isLocale, type Label, type Locale, locales } from '../kernel/messages.ts';
import {
  mapOf,
  nearestHint,
  type OptionCheck,
  type OptionTable,
  objectOf,
  optionsFlaw,
  textual,
} from '../kernel/options.ts';
import { DefinitionError } from './definition-error.ts';
import { labelOf } from './names.ts';
import type { SaidMany } from './relation.ts';
import type { ModelField, ResourceModel } from './resource.ts';

type Texts<Names extends string> = { readonly [Name in Names]?: string };

/** Texts of one field of a model. */
export interface FieldTexts {
  readonly label?: string;
  readonly group?: string;
  /** Display texts of the choices of an enum. */
  readonly choices?: Readonly<Record<string, string>>;
}

/** Texts of one model. */
export interface ModelTexts {
  readonly label?: string;
  /** Label of several records; a language with `label` alone says it for several too. */
  readonly pluralLabel?: string;
  readonly menu?: string;
  /** Labels of fields, or their texts, by the name of the field. */
  readonly fields?: Readonly<Record<string, string | FieldTexts>>;
  /** Labels of the relations that `relations` declares. */
  readonly relations?: Readonly<Record<string, string>>;
}

/** The texts of one language; English stands for a missing one. `{placeholders}` are those of the English text. */
export interface LocaleDefinition {
  /** The general text of a success, and the texts of a new and of a rotated API key. */
  readonly success?: string;
  readonly keyCreated?: string;
  readonly keyRotated?: string;
  /** Messages of the service's problems, by their names. */
  readonly problems?: Texts<keyof Catalogue['problems']>;
  /** Messages of validation errors, by their rules. */
  readonly rules?: Texts<keyof Catalogue['rules']>;
  /** Words for the types of JSON. */
  readonly types?: Texts<keyof Catalogue['types']>;
  /** Labels of fields that the service names: of its own inputs, and of models' fields without a label. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly models?: Readonly<Record<string, ModelTexts>>;
}

/** Returns the placeholders of a text. */
const placeholdersOf = (text: string): readonly string[] =>
  Array.from(text.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);

/** Texts by the names that English has, with no other placeholders. */
const like =
  (english: Readonly<Record<string, string>>): OptionCheck =>
  (value, path) => {
    const flaw = objectOf(Object.fromEntries(Object.keys(english).map((name) => [name, textual])))(
      value,
      path,
    );
    if (flaw !== undefined) return flaw;
    for (const [name, text] of Object.entries(value as Readonly<Record<string, string>>)) {
      const known = placeholdersOf(english[name] ?? '');
      const wrong = placeholdersOf(text).find((each) => !known.includes(each));
      if (wrong !== undefined)
        return `${path}.${name} has no placeholder {${wrong}}${known.length === 0 ? '' : ` (${known.map((each) => `{${each}}`).join(', ')})`}`;
    }
    return undefined;
  };

const fieldTexts: OptionCheck = (value, path) =>
  typeof value === 'string'
    ? textual(value, path)
    : objectOf({
        label: textual,
        group: textual,
        choices: mapOf(textual),
      } satisfies OptionTable<FieldTexts>)(value, path);

const options = {
  success: textual,
  keyCreated: textual,
  keyRotated: textual,
  problems: like(en.problems),
  rules: like(en.rules),
  types: like(en.types),
  labels: like({ ...en.labels, ...en.inputs }),
  models: mapOf(
    objectOf({
      label: textual,
      pluralLabel: textual,
      menu: textual,
      fields: mapOf(fieldTexts),
      relations: mapOf(textual),
    } satisfies OptionTable<ModelTexts>),
  ),
} satisfies OptionTable<LocaleDefinition>;

const made = new WeakSet<object>();

/**
 * Defines the texts of a language. A file in `locales/` that exports one by default needs no registration; the file's
 * name is the tag of the language (`de`, `pt-BR`).
 * @throws DefinitionError for an unknown name or placeholder
 */
export const defineLocale = (definition: LocaleDefinition): LocaleDefinition => {
  const flaw = optionsFlaw(definition, options);
  if (flaw !== undefined) throw new DefinitionError('locale', flaw);
  const locale = Object.freeze({ ...definition });
  made.add(locale);
  return locale;
};

export const isLocaleDefinition = (value: unknown): value is LocaleDefinition =>
  typeof value === 'object' && value !== null && made.has(value);

/** The languages of an application, by their tags. */
export type Locales = Readonly<Record<Locale, LocaleDefinition>>;

/** @throws DefinitionError for a name that is no tag, or that of a language of the service */
export const catalogueOfApplication = (locale: Locale, definition: LocaleDefinition): Catalogue => {
  if (!isLocale(locale))
    throw new DefinitionError(
      `locale ${locale}`,
      'the name of the file is a language tag such as de or pt-BR',
    );
  if (locales.some((each) => each === locale))
    throw new DefinitionError(`locale ${locale}`, 'the service has the texts of this language itself');
  const { problems, rules, types, labels = {}, success, keyCreated, keyRotated } = definition;
  const own = { ...en.labels, ...en.inputs };
  return {
    ...en,
    locale,
    success: success ?? en.success,
    keyCreated: keyCreated ?? en.keyCreated,
    keyRotated: keyRotated ?? en.keyRotated,
    problems: { ...en.problems, ...problems },
    rules: { ...en.rules, ...rules },
    types: { ...en.types, ...types },
    labels: { ...en.labels, ...labels },
    inputs: { ...en.inputs, ...labels },
    words: new Map(Object.entries(labels).map(([name, text]) => [own[name] ?? '', text])),
  };
};

const translated = (label: Label, locale: Locale, text: string | undefined): Label => {
  if (text === undefined) return label;
  return typeof label === 'string'
    ? { 'zh-CN': label, en: label, [locale]: text }
    : { ...label, [locale]: text };
};

/** @throws DefinitionError for the first name that is not known */
const demandNames = (
  where: string,
  what: string,
  given: object | undefined,
  known: Iterable<string>,
): void => {
  const names = [...known];
  const unknown = Object.keys(given ?? {}).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new DefinitionError(where, `there is no ${what} "${unknown}"${nearestHint(unknown, names)}`);
};

const withFieldTexts = (
  where: string,
  field: ModelField,
  locale: Locale,
  given: string | FieldTexts | undefined,
  words: Catalogue['words'],
): ModelField => {
  const { label, group, choices = {} } = typeof given === 'string' ? { label: given } : (given ?? {});
  const { choices: known = [], labels = {} } = field.options as Partial<EnumOptions>;
  demandNames(where, 'choice', choices, known);
  if (group !== undefined && field.options.group === undefined)
    throw new DefinitionError(where, 'the field has no group');
  const named = typeof field.label === 'string' ? undefined : words?.get(field.label['en'] ?? '');
  const labelled = translated(field.label, locale, label ?? named);
  if (labelled === field.label && group === undefined && Object.keys(choices).length === 0) return field;
  const texts = Object.entries(choices).map(([value, text]) => [
    value,
    translated(labels[value] ?? value, locale, text),
  ]);
  const grouped =
    field.options.group === undefined
      ? field.options
      : { ...field.options, group: translated(field.options.group, locale, group) };
  const options =
    texts.length === 0 ? { ...grouped } : { ...grouped, labels: { ...labels, ...Object.fromEntries(texts) } };
  return Object.freeze({ ...field, label: labelled, options: Object.freeze(options) });
};

/**
 * Returns the model with its texts in a language.
 * @throws DefinitionError for a field, choice or relation that it does not have
 */
const withTexts = (
  model: ResourceModel,
  locale: Locale,
  { label, pluralLabel = label, menu, fields = {}, relations = {} }: ModelTexts,
  words: Catalogue['words'],
): ResourceModel => {
  const where = `locale ${locale}, ${model.name}`;
  demandNames(where, 'field', fields, model.fields.keys());
  demandNames(where, 'relation', relations, model.saidRelations.keys());
  if (menu !== undefined && model.menu === undefined)
    throw new DefinitionError(where, 'the model has no menu');
  const translatedFields = [...model.fields].map(([name, field]): [string, ModelField] => [
    name,
    withFieldTexts(`${where}.${name}`, field, locale, fields[name], words),
  ]);
  const saidRelations = [...model.saidRelations].map(([name, said]): [string, SaidMany] => {
    const text = relations[name];
    if (text === undefined) return [name, said];
    return [name, { ...said, label: translated(said.label ?? labelOf(name), locale, text) }];
  });
  return Object.freeze({
    ...model,
    saidRelations: new Map(saidRelations),
    label: translated(model.label, locale, label),
    pluralLabel: translated(model.pluralLabel, locale, pluralLabel),
    menu: model.menu === undefined ? undefined : translated(model.menu, locale, menu),
    fields: new Map(translatedFields),
  });
};

/**
 * Returns the models with their texts in the languages of the application.
 * @throws DefinitionError for a name that no model has
 */
export const translateModels = (
  models: readonly ResourceModel[],
  own: Locales,
  catalogues: readonly Catalogue[],
): readonly ResourceModel[] =>
  catalogues.reduce((given: readonly ResourceModel[], { locale, words }) => {
    const texts = own[locale]?.models ?? {};
    demandNames(
      `locale ${locale}`,
      'model',
      texts,
      given.map(({ name }) => name),
    );
    return given.map((model) => withTexts(model, locale, texts[model.name] ?? {}, words));
  }, models);
