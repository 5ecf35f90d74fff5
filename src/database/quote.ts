// Names and literals in the statements of migrations, which are plain text.

/** A quoted name. Names come from the application's own definitions, but a quote in one must not end it. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A text as an SQL literal. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * The end of a SELECT whose rows come in the order of a column of whole numbers, behind one of them; nothing without.
 */
export const behind = (
  quotedTable: string,
  from: { readonly column: string; readonly after: string | undefined } | undefined,
): string => {
  if (from === undefined) return '';
  // With its table: what is selected may have the same name, and be ordered as a text.
  const column = `${quotedTable}.${quoteName(from.column)}`;
  const condition = from.after === undefined ? '' : `where ${column} > ${quoteText(from.after)} `;
  return `${condition}order by ${column}`;
};
