const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Whether statements write to one of the tables, as far as their texts say: what a function or a trigger of the
 * database's own writes is not seen.
 */
export const writesTo = (tables: readonly string[]): ((statements: readonly string[]) => boolean) => {
  if (tables.length === 0) return () => false;
  const verbs =
    'insert\\s+into|update(?:\\s+only)?|delete\\s+from(?:\\s+only)?|merge\\s+into|truncate(?:\\s+table)?|copy';
  const names = tables.map(escaped).join('|');
  const written = new RegExp(`\\b(?:${verbs})\\s+(?:"?\\w+"?\\s*\\.\\s*)?"?(?:${names})(?![\\w$])`, 'i');
  return (statements) => statements.some((sql) => written.test(sql));
};
