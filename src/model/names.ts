/** Names that follow from a model's name (path, table, labels), and names that are reserved. */

import { type Label, namedLabel } from '../kernel/messages.ts';
import { pluralOf } from './definition/inflect.ts';
import { DefinitionError } from './definition-error.ts';

export { pluralOf, singularOf } from './definition/inflect.ts';

/** First parts of paths that the service itself uses. */
export const reservedPaths: ReadonlySet<string> = new Set([
  'auth',
  'changes',
  'users',
  'api_keys',
  'payment',
  'health',
  'meta',
]);

/**
 * Tables of the service beside `users` and `api_keys`, whose paths are reserved anyway. A resource on one of them
 * would expose its rows.
 */
export const reservedTables: ReadonlySet<string> = new Set([
  'application_usage',
  'audit',
  'idempotency_keys',
  'login_attempts',
  'migrations',
  'migrations_lock',
  'payments',
  'permission_entries',
  'permissions',
  'request_counts',
  'roles',
  'sessions',
  'sign_in_failures',
  'user_roles',
]);

/** Tables of the databases and of the migrator; functions of SQLite that a table of the name would hide. */
const foreignTable = /^(?:(?:sqlite|pg|kysely|gatewright|pragma)_|json_(?:each|tree)$|dbstat$)/;

/** True if a table belongs to a database, or has a name that the service keeps for itself. */
export const isReservedTable = (name: string): boolean => foreignTable.test(name);

/** True if a table belongs to the service or to a database. */
export const isForeignTable = (name: string): boolean =>
  name === 'users' || name === 'api_keys' || reservedTables.has(name) || foreignTable.test(name);

/** Names of the columns that the service adds. */
const reservedFields: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at', 'version']);

/** Columns that every table of PostgreSQL has, and the names by which SQLite refers to a table's key. */
export const systemColumns: ReadonlyMap<string, string> = new Map([
  ...['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid', 'oid'].map((name) => [name, 'PostgreSQL'] as const),
  ...['rowid', '_rowid_'].map((name) => [name, 'SQLite'] as const),
]);

/**
 * Maximum length of a name that PostgreSQL does not truncate, with room for additions (`_id`, an index's prefix).
 * @limit Fields | a name of a model or field | characters | no start
 */
const maxNameLength = 48;

const snakeCase = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const pascalCase = /^[A-Z][A-Za-z0-9]*$/;

/** True if a text can be a field, a table and a path: lower case, digits and single underscores. */
const isName = (name: string): boolean =>
  name.length <= maxNameLength && snakeCase.test(name) && !(name in Object.prototype);

/** `BlogPost` is `blog_post`, `HTTPLog` is `http_log`, `Oauth2Token` is `oauth2_token`. */
export const snakeOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();

/** `internal_note` is `Internal note`. */
export const humanise = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The label of a field without one: the service's own word for the name, else the name as words. */
export const labelOf = (name: string): Label =>
  namedLabel('labels', name) ?? humanise(name.replace(/_id$/, ''));

/** A text whose last word is English, in plural: capitals stay, and so does a word for which no rule is safe. */
const pluralText = (text: string): string => {
  const word = text.split(/[\s-]/).at(-1) ?? '';
  const plural = /^[A-Za-z]+$/.test(word) ? pluralOf(word.toLowerCase()) : undefined;
  if (plural === undefined) return text;
  let same = 0;
  while (same < word.length && word[same]?.toLowerCase() === plural[same]) same += 1;
  return text.slice(0, text.length - word.length + same) + plural.slice(same);
};

/**
 * The label of several records of a model whose own label is this one. A label that is the name in words becomes the
 * plural in words, which the model may have named. A single text stands for every language and is taken for English.
 */
export const pluralLabelOf = (label: Label, { singular, plural }: ResourceNames): Label => {
  const inEnglish = (text: string): string =>
    text.toLowerCase() === humanise(singular).toLowerCase() ? humanise(plural) : pluralText(text);
  if (typeof label === 'string') return inEnglish(label);
  return label['en'] === undefined ? label : { ...label, en: inEnglish(label['en']) };
};

export interface ResourceNames {
  readonly singular: string;
  readonly plural: string;
}

const nameProblem = 'must be lower case letters, digits and single underscores, at most 48 characters';

/** Singular and plural of a model, or an error that asks the model to define them. */
export const namesOf = (
  model: string,
  given: {
    readonly singular?: string | undefined;
    readonly plural?: string | undefined;
    readonly table?: { readonly name?: string | undefined } | undefined;
  },
): ResourceNames => {
  if (!pascalCase.test(model))
    throw new DefinitionError(model, 'the name of a model is written like BlogPost, in ASCII');
  const singular = given.singular ?? snakeOf(model);
  if (!isName(singular)) throw new DefinitionError(model, `singular "${singular}" ${nameProblem}`);
  const plural = given.plural ?? pluralOf(singular);
  if (plural === undefined)
    throw new DefinitionError(model, `cannot tell the plural of "${singular}": name it with { plural: '…' }`);
  if (!isName(plural)) throw new DefinitionError(model, `plural "${plural}" ${nameProblem}`);
  if (reservedPaths.has(plural))
    throw new DefinitionError(model, `the path "${plural}" belongs to the service: choose another plural`);
  if (given.table?.name === undefined && (reservedTables.has(plural) || foreignTable.test(plural)))
    throw new DefinitionError(
      model,
      `the table "${plural}" belongs to the service or to a database: choose another plural`,
    );
  return { singular, plural };
};

/** Refuses a name that cannot be a field. */
export const checkFieldName = (model: string, name: string): void => {
  if (reservedFields.has(name)) throw new DefinitionError(model, 'the service sets this field itself', name);
  const database = systemColumns.get(name.toLowerCase());
  if (database !== undefined)
    throw new DefinitionError(
      model,
      `${database} has a column of its own by this name: choose another`,
      name,
    );
  if (!isName(name)) throw new DefinitionError(model, `the name of a field ${nameProblem}`, name);
};
