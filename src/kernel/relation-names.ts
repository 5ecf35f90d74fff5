/** Whether letters of a raw query string are escaped, which they need not be: then any name may stand there. */
export const escapesLetters = (query: string): boolean => /%(?:[46][1-9a-f]|[57][0-9a])/i.test(query);

/** Whether a raw query string may name relations: `include=…`, or a field behind a point. */
export const namesRelations = (query: string): boolean =>
  /include|\.|%2e/i.test(query) || escapesLetters(query);
