/** Most characters of a statement in a log line or a span: the beginning identifies it. */
const maxLength = 4_000;

/**
 * Matches the parts of a statement's text that could be a value: quoted texts (also `E'…'` and dollar quotes; one that
 * was cut off ends with the text), numbers that are no part of
 * a name or of a parameter, and comments, which may hold anything. Names in double quotes are matched first, and stay.
 */
const parts = new RegExp(
  [
    /(?<name>"(?:[^"]|"")*(?:"|$))/,
    /\be'(?:[^'\\]|''|\\.)*(?:'|$)/,
    /'(?:[^']|'')*(?:'|$)/,
    /\$(?<tag>[a-z_]*)\$.*?(?:\$\k<tag>\$|$)/,
    /(?<comment>--[^\n]*|\/\*.*?(?:\*\/|$))/,
    /(?<![\w$?.:@])(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gis',
);

/**
 * The text of a statement without values, for logs: literals in an application's own SQL are replaced by `?`, as
 * `pg_stat_statements` does it.
 */
export const maskedStatement = (sql: string): string => {
  const text = sql
    .slice(0, 2 * maxLength)
    .replace(parts, (...found) => {
      const { name, comment } = found.at(-1) as { readonly name?: string; readonly comment?: string };
      return name ?? (comment === undefined ? '?' : ' ');
    })
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
};
