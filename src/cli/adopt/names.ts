/** Names of models and fields for tables and columns, which may have any name. */

import { DefinitionError } from '../../model/definition-error.ts';
import { checkFieldName, namesOf, pluralOf, singularOf, snakeOf, systemColumns } from '../../model/names.ts';

/** Characters of a name, with room for a number and for what the service adds. */
const maxLength = 40;

const shortened = (name: string): string =>
  name.length <= maxLength ? name : name.slice(0, maxLength).replace(/_+$/, '');

/** Any name in lower case letters, digits and single underscores; `instead` where it has none of these. */
export const plainName = (name: string, instead: string): string => {
  const ascii = name.normalize('NFKD').replace(/\p{M}+/gu, '');
  const words = snakeOf(ascii.replace(/[^A-Za-z0-9]+/g, '_'))
    .replace(/_+/g, '_')
    .replace(/^_|_$/g, '');
  if (words === '') return instead;
  return shortened(/^[a-z]/.test(words) ? words : `${instead}_${words}`);
};

/** `order_line` is `OrderLine`. */
const pascalOf = (name: string): string =>
  name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

export interface ModelNames {
  /** `OrderLine`. */
  readonly model: string;
  /** The name that the table alone would give. */
  readonly wanted: string;
  /** Key of a body, and the file's name. */
  readonly singular: string;
  /** Path. */
  readonly plural: string;
  /** The options that say what does not follow from the model's name. */
  readonly said: { readonly singular?: string; readonly plural?: string };
}

/** The options of a model whose other names do not follow from its name. */
export const saidNames = (model: string, singular: string, plural: string): ModelNames['said'] => {
  const said: { singular?: string; plural?: string } = {};
  if (snakeOf(model) !== singular) said.singular = singular;
  if (pluralOf(singular) !== plural) said.plural = plural;
  return said;
};

/** The names of a model by a singular and the plural of its path; undefined where the service refuses them. */
const namesBy = (singular: string, plural: string, table: string): Omit<ModelNames, 'wanted'> | undefined => {
  const model = pascalOf(singular);
  const names = { model, singular, plural, said: saidNames(model, singular, plural) };
  const given = { singular, plural, table: { name: table } };
  try {
    namesOf(model, given);
    return model === 'User' ? undefined : names;
  } catch (error) {
    if (error instanceof DefinitionError) return undefined;
    throw error;
  }
};

/** Names that models of the application have already. */
export interface TakenNames {
  readonly models: Set<string>;
  readonly singulars: Set<string>;
  readonly plurals: Set<string>;
}

/** Words before a name that is taken, or that belongs to the service. */
function* prefixes(schema: string | undefined): Generator<string> {
  yield '';
  if (schema !== undefined && schema !== 'public') yield `${plainName(schema, 'schema')}_`;
  yield 'app_';
  for (let count = 2; ; count += 1) yield `app${count}_`;
}

/** The names of the model of a table, which are then taken. A table `order_lines` is the model `OrderLine`. */
export const nameModel = (
  table: { readonly schema: string | undefined; readonly name: string },
  taken: TakenNames,
): ModelNames => {
  const base = plainName(table.name, 'table');
  const one = singularOf(base) ?? base;
  const several = pluralOf(one) ?? base;
  for (const prefix of prefixes(table.schema)) {
    const names = namesBy(prefix + one, prefix + several, table.name);
    if (names === undefined) continue;
    const { model, singular, plural } = names;
    if (taken.models.has(model) || taken.singulars.has(singular) || taken.plurals.has(plural)) continue;
    takeNames(taken, names);
    return { ...names, wanted: pascalOf(one) };
  }
  throw new Error('unreachable');
};

export const takeNames = (
  { models, singulars, plurals }: TakenNames,
  names: Pick<ModelNames, 'model' | 'singular' | 'plural'>,
): void => {
  models.add(names.model);
  singulars.add(names.singular);
  plurals.add(names.plural);
};

const isFieldName = (name: string): boolean => {
  try {
    checkFieldName('', name);
    return true;
  } catch (error) {
    if (error instanceof DefinitionError) return false;
    throw error;
  }
};

/** Further names for what cannot have its own. */
function* alternatives(name: string): Generator<string> {
  yield name;
  yield `${name}_value`;
  for (let count = 2; ; count += 1) yield `${name}_${count}`;
}

/** A name for a field or a relation that neither the service nor another one has; it is then taken. */
export const nameField = (name: string, taken: Set<string>): string => {
  for (const candidate of alternatives(name)) {
    if (taken.has(candidate) || !isFieldName(candidate)) continue;
    taken.add(candidate);
    return candidate;
  }
  throw new Error('unreachable');
};

/** A reference is called `author_id`, as models call it. */
export const nameReference = (name: string, taken: Set<string>): string => {
  const own = name.endsWith('_id') ? name : `${name}_id`;
  // `x_id_value` would get one more `_id`.
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? own : own.replace(/_id$/, `_${count}_id`);
    if (taken.has(candidate) || !isFieldName(candidate)) continue;
    taken.add(candidate);
    return candidate;
  }
};

/** Why a model cannot name a table or a column; undefined where it can. */
export const storedNameFlaw = (name: string): string | undefined => {
  if (name.trim() === '') return 'its name is blank';
  if (name.includes('"')) return 'its name has a quote';
  if (Buffer.byteLength(name) > 63) return 'its name is longer than 63 bytes';
  const database = systemColumns.get(name.toLowerCase());
  return database === undefined ? undefined : `${database} has a column of its own by this name`;
};

/** Endings of names of columns that hold secrets. */
const secret =
  /(?:^|_)(?:passwords?|passwd|pwd|passphrase|pass_?hash|(?:password|passwd|pwd)_?(?:hash|digest|salt|history)|secret|secret_key|secret_hash|private_key|api_key|session_key|otp_secret|(?:[a-z0-9]+_)?token(?:_hash|_digest)?|salt)$|^(?:encrypted|crypted|hashed)_password/;

/** True if a column's name says that it holds a secret: a hash of a password, a token, a key. */
export const isSecretName = (column: string): boolean => secret.test(plainName(column, 'column'));
