/** Names and texts in statements that change tables, which migrations write as text. */

/** A name as SQL text. Names come from the application's own definitions, yet a quote in one must not end it. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A text as an SQL literal. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
