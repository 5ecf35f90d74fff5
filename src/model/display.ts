/** Display names of records: a template such as `{number} · {status}`, filled with the fields of a record. */

const place = /\{(\w+)\}/g;

/** Names of the fields in a template, in their order. */
export const displayFields = (template: string): readonly string[] => [
  ...new Set([...template.matchAll(place)].map(([, name = '']) => name)),
];

/** The name of a record; undefined if all its fields are empty. */
export const displayName = (
  template: string,
  record: Readonly<Record<string, unknown>>,
): string | undefined => {
  const textOf = (name: string): string => {
    const value = record[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  if (displayFields(template).every((name) => textOf(name) === '')) return undefined;
  return template.replace(place, (_whole, name: string) => textOf(name)).trim();
};

interface Named {
  readonly name: string;
  readonly kind: string;
}

/** Names that say that a field names its record. */
const naming: readonly string[] = ['name', 'title'];

/**
 * The template of a model without one: a text called `name` or `title`, else its first text, else its first address,
 * else its number.
 */
export const usualDisplay = (fields: readonly Named[]): string | undefined => {
  const texts = fields.filter(({ kind }) => kind === 'string');
  const named = naming
    .map((each) => texts.find(({ name }) => name === each))
    .find((each) => each !== undefined);
  const [address, number] = ['email', 'sequence'].map((each) => fields.find(({ kind }) => kind === each));
  const field = named ?? texts[0] ?? address ?? number;
  return field === undefined ? undefined : `{${field.name}}`;
};
