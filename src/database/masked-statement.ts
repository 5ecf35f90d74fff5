/** Characters of a statement that a log line or a span takes: the beginning tells which one it is. */
const longest = 4_000;

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
 * The text of a statement without any value, as it may be logged: whatever an application wrote into its own SQL is
 * replaced by `?`, as `pg_stat_statements` does it.
 */
export const maskedStatement = (sql: string): string => {
  const text = sql
    .slice(0, 2 * longest)
    .replace(parts, (...found) => {
      const { name, comment } = found.at(-1) as { readonly name?: string; readonly comment?: string };
      return name ?? (comment === undefined ? '?' : ' ');
    })
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
};
